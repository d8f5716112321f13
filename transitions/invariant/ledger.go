package invariant

import (
	"slices"

	"deskbridge/transitions"
)

// Ledger is the rows of one conversation, as facts and records made them. The zero
// ledger is empty. It is a value: Follow returns another and leaves the rows of
// the one before as they were.
type Ledger struct {
	Messages   []Message
	Turns      []transitions.Turn
	Deliveries []transitions.Delivery
	Requests   []transitions.Request
}

// Follow takes a step's fact and effects into the rows. A row holds what is known
// of its subject for good; what is only done about it is left out.
func (l Ledger) Follow(f transitions.Fact, effects []transitions.Effect) Ledger {
	// What was received is acknowledged, whether or not a record follows.
	switch f := f.(type) {
	case transitions.MessageReceived:
		l.Messages = put(l.Messages, Message{Message: transitions.Message{ID: f.Message, Sender: f.Sender, State: transitions.MessageKept}, Kind: Text}, messageID)
	case transitions.NewRequested:
		l.Messages = put(l.Messages, Message{Message: transitions.Message{ID: f.Message, Sender: f.Sender}, Kind: Command}, messageID)
	case transitions.StopRequested:
		l.Messages = put(l.Messages, Message{Message: transitions.Message{ID: f.Message, Sender: f.Sender}, Kind: Command}, messageID)
	case transitions.ThreadsRequested:
		l.Messages = put(l.Messages, Message{Message: transitions.Message{ID: f.Message, Sender: f.Sender}, Kind: Command}, messageID)
	case transitions.ResumeRequested:
		l.Messages = put(l.Messages, Message{Message: transitions.Message{ID: f.Message, Sender: f.Sender}, Kind: Command}, messageID)
	case transitions.ModelRequested:
		l.Messages = put(l.Messages, Message{Message: transitions.Message{ID: f.Message, Sender: f.Sender}, Kind: Command}, messageID)
	}
	for _, e := range effects {
		switch e := e.(type) {
		case transitions.RecordMessage:
			l.Messages = put(l.Messages, Message{Message: e.Message, Kind: Text}, messageID)
		case transitions.RecordTurn:
			l.Turns = put(l.Turns, lasting(e.Turn), turnID)
		case transitions.RecordDelivery:
			l.Deliveries = put(l.Deliveries, e.Delivery, deliveryID)
		case transitions.RecordRequest:
			row := e.Request
			row.Unreplayed = ""
			l.Requests = put(l.Requests, row, requestID)
		}
	}
	return l
}

// TrackData is what a track is and remembers.
type TrackData struct {
	State transitions.State
	Data  *transitions.Data
}

// View puts the rows beside what the conversation's tracks, oldest first, remember.
func (l Ledger) View(tracks ...TrackData) View {
	v := View{Messages: slices.Clone(l.Messages), Deliveries: slices.Clone(l.Deliveries)}
	for _, tr := range tracks {
		v.Tracks = append(v.Tracks, Track{ID: tr.Data.Track, State: tr.State})
		v.Turns = append(v.Turns, tr.Data.Turns...)
		for i := range tr.Data.Messages {
			if m := v.message(tr.Data.Messages[i].ID); m != nil {
				m.Hold = HoldOf(tr.Data, &tr.Data.Messages[i])
			}
		}
	}
	for i := range v.Messages {
		m := &v.Messages[i]
		m.Told = v.said(m.ID, m.Hold.Sentence())
		m.Asked = m.State == transitions.MessageAsked
	}
	for _, r := range l.Requests {
		v.Requests = append(v.Requests, Request{Request: r})
	}
	for _, t := range l.Turns {
		if v.turn(t.ID) == nil {
			v.Turns = append(v.Turns, t)
		}
	}
	return v
}

// lasting is what a turn's row keeps.
func lasting(t transitions.Turn) transitions.Turn {
	return transitions.Turn{ID: t.ID, State: t.State, Start: t.Start, StopBy: t.StopBy, Said: t.Said}
}

func messageID(m *Message) string               { return m.ID }
func turnID(t *transitions.Turn) string         { return t.ID }
func deliveryID(d *transitions.Delivery) string { return d.ID }
func requestID(r *transitions.Request) string   { return r.ID }

// put replaces the row with the same id, or adds one.
func put[T any](rows []T, row T, id func(*T) string) []T {
	rows = slices.Clone(rows)
	for i := range rows {
		if id(&rows[i]) == id(&row) {
			rows[i] = row
			return rows
		}
	}
	return append(rows, row)
}
