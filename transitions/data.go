package transitions

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// Data is what a track remembers between facts: only what is not yet settled.
// What is settled is in the ledger's rows. It is a plain value, the same after
// a round trip through JSON.
type Data struct {
	// Track is the track's own id.
	Track string `json:"track"`
	// Superseded says that the conversation has a newer track.
	Superseded bool `json:"superseded,omitempty"`
	// Thread is the Codex thread; empty until one is open.
	Thread string `json:"thread,omitempty"`
	// Opening says that a thread has been asked for.
	Opening bool `json:"opening,omitempty"`
	// Lost is why the thread is lost for good, in the server's words.
	Lost string `json:"lost,omitempty"`
	// Rebuild says that the track goes on where the one before it lost its thread, and
	// Rebuilt that its own thread has been given what was said there.
	Rebuild bool `json:"rebuild,omitempty"`
	Rebuilt bool `json:"transcript_rebuilt,omitempty"`
	// CreatedBy and ResumedBy are the versions of Codex that made the thread and that
	// took it up last.
	CreatedBy string `json:"created_by,omitempty"`
	ResumedBy string `json:"resumed_by,omitempty"`
	// Policy is the tightest that the thread was reported to run under, but for what an
	// operator has allowed since; Found is the looser one for which the track is closed.
	Policy Policy `json:"policy,omitzero"`
	Found  Policy `json:"found,omitzero"`
	// Messages that are not yet answered or given back, in order of arrival.
	Messages []Message `json:"messages,omitempty"`
	// Turns that are in flight, or that we do not know to be over.
	Turns []Turn `json:"turns,omitempty"`
	// Deliveries that are not confirmed.
	Deliveries []Delivery `json:"deliveries,omitempty"`
	// Requests that are open, in order of arrival.
	Requests []Request `json:"requests,omitempty"`
	// Shut are the reasons for which nothing is sent to Codex, each once.
	Shut []Closing `json:"shut,omitempty"`
	// Model is what turns run on; empty: Codex's own setting.
	Model string `json:"model,omitempty"`
	// FencedAt is when the last /stop or /new of the track was written; 0: none was.
	FencedAt Millis `json:"fenced_at,omitempty"`
	// Waiting is the thread's flag: Codex waits on a person.
	Waiting bool `json:"waiting,omitempty"`
	// Recalled are the ids of messages that were taken back before they came here, and
	// Dismissed are senders that are not admitted any more; the last ones, oldest
	// first.
	Recalled  []string `json:"recalled,omitempty"`
	Dismissed []string `json:"dismissed,omitempty"`
	// Readmitted are those who were dismissed and have written again since: what they
	// wrote before their first new message is not sent all the same.
	Readmitted []Readmission `json:"readmitted,omitempty"`
	// Settled are the ids of the requests that were resolved last, oldest first.
	Settled []string `json:"settled,omitempty"`
	// Closed are the ids of the turns that ended last, oldest first, so that a
	// late word about one of them is known for what it is.
	Closed []string `json:"closed,omitempty"`
	// Listed are the threads that the numbers of the list stand for which was shown last,
	// and Resume is the /resume that is being carried out.
	Listed []ListedThread `json:"listed,omitempty"`
	Resume Resume         `json:"resume,omitzero"`
	// Answered says that an outcome of this track has reached the chat.
	Answered bool `json:"answered,omitempty"`

	// Run is set only within [Tables.Step].
	Run *Run `json:"-"`
}

// lastKept is how many of what is over a track remembers, of each sort. A late word
// about it comes within the next turn or two; the ledger knows all of them.
const lastKept = 16

// last adds to a list of what is over, if it is not there.
func last(list []string, id string) []string {
	if slices.Contains(list, id) {
		return list
	}
	list = append(slices.Clip(list), id)
	return list[max(0, len(list)-lastKept):]
}

// Readmission is when a person who was dismissed wrote again.
type Readmission struct {
	Sender string `json:"sender"`
	At     Millis `json:"at"`
}

// readmit notes that a person who was dismissed writes again, so is admitted.
func (d *Data) readmit(sender string, at Millis) {
	if !slices.Contains(d.Dismissed, sender) {
		return
	}
	d.Dismissed = slices.DeleteFunc(d.Dismissed, func(s string) bool { return s == sender })
	d.Readmitted = append(d.Readmitted, Readmission{sender, at})
	d.Readmitted = d.Readmitted[max(0, len(d.Readmitted)-lastKept):]
}

// dismiss notes that a person is not admitted any more.
func (d *Data) dismiss(sender string) {
	d.Dismissed = last(d.Dismissed, sender)
	d.Readmitted = slices.DeleteFunc(d.Readmitted, func(r Readmission) bool { return r.Sender == sender })
}

// dismissedBefore says that its sender was dismissed after the message was written.
func (d *Data) dismissedBefore(r MessageReceived) bool {
	return slices.Contains(d.Dismissed, r.Sender) || slices.ContainsFunc(d.Readmitted, func(again Readmission) bool {
		return again.Sender == r.Sender && r.Created < again.At
	})
}

// Message is one message from a person to Codex.
type Message struct {
	ID      string       `json:"id"`
	Sender  string       `json:"sender"`
	Text    string       `json:"text"`
	Created Millis       `json:"created"`
	State   MessageState `json:"state"`
	// Turn is the turn that it was steered into or proven in.
	Turn string `json:"turn,omitempty"`
	// Barred is why it is never to be offered again, once a call has it; empty: it
	// may be.
	Barred Bar `json:"barred,omitempty"`
	// Confirmed says that its sender wants it sent, however old it is.
	Confirmed bool `json:"confirmed,omitempty"`
	// Question is the id of the message in the chat that asks its sender whether it is
	// still to be sent.
	Question string `json:"question,omitempty"`
	// Files are its attachments.
	Files []File `json:"files,omitempty"`
	// Said is why Codex did not take it, in the server's words.
	Said string `json:"said,omitempty"`
	// Told are the sentences that told its sender what it waits for, each once.
	Told []SentenceID `json:"told,omitempty"`
}

// Bar is a reason to keep a message from Codex.
type Bar string

// The bars.
const (
	// BarFence: a /stop or /new came after it.
	BarFence Bar = "fence"
	// BarRecall: its sender took it back.
	BarRecall Bar = "recall"
	// BarDismissal: its sender is no longer admitted.
	BarDismissal Bar = "dismissal"
)

// Turn is one turn of the thread, ours or foreign.
type Turn struct {
	// ID is empty while a start is without answer.
	ID    string    `json:"id,omitempty"`
	State TurnState `json:"state"`
	// Start is the message whose turn/start it answers; empty: foreign.
	Start string `json:"start,omitempty"`
	// Lost says that no answer to the start will come, and Link what carried it.
	Lost bool `json:"lost,omitempty"`
	Link Link `json:"link,omitzero"`
	// Begun says that Codex was seen at work on it.
	Begun bool `json:"begun,omitempty"`
	// Missing is when a pull first found no trace of it; 0: none did.
	Missing Millis `json:"missing,omitempty"`
	// StopBy is the /stop message recorded for this very turn.
	StopBy string `json:"stop_by,omitempty"`
	// Cut says that it is to end although nobody asked for that: there is nobody
	// left to tell.
	Cut bool `json:"cut,omitempty"`
	// Interrupting says that an interrupt is under way and not refused.
	Interrupting bool `json:"interrupting,omitempty"`
	// Said is the reason of a failure, in the server's words.
	Said string `json:"said,omitempty"`
	// ToldSilent and ToldWaiting say that who waits for it was told that nothing is
	// heard of it, or that what it asks has not arrived.
	ToldSilent  bool `json:"told_silent,omitempty"`
	ToldWaiting bool `json:"told_waiting,omitempty"`
}

// Delivery is one thing to be said in the chat.
type Delivery struct {
	ID    string        `json:"id"`
	Kind  DeliveryKind  `json:"kind"`
	State DeliveryState `json:"state"`
	// Turn whose outcome it is; empty for a notice.
	Turn    string `json:"turn,omitempty"`
	ReplyTo string `json:"reply_to"`
	Body    Body   `json:"body"`
	// Sent is how many bytes of the text stand in the chat, as parts that are not the
	// last.
	Sent int `json:"sent,omitempty"`
	// ToldFailed says that whom it answers was told that it could not be posted.
	ToldFailed bool `json:"told_failed,omitempty"`
	// Shown is the id of the message in the chat, once confirmed; of its last part.
	Shown string `json:"shown,omitempty"`
	// Code and Said are Feishu's words, once refused.
	Code int    `json:"code,omitempty"`
	Said string `json:"said,omitempty"`
}

// DeliveryKind tells outcomes, which the track owes, from notices.
type DeliveryKind string

// The kinds of delivery.
const (
	// Outcome is the one result of an ended turn.
	Outcome DeliveryKind = "outcome"
	// Notice is an answer to a command, or word about one message.
	Notice DeliveryKind = "notice"
)

// Clone copies the data, so that changing the copy leaves the original. A
// body's arguments, a message's files and what it was told, and what a list stands for,
// are shared: nobody changes them in place.
func (d Data) Clone() Data {
	d.Messages = slices.Clone(d.Messages)
	d.Turns = slices.Clone(d.Turns)
	d.Deliveries = slices.Clone(d.Deliveries)
	d.Requests = slices.Clone(d.Requests)
	d.Closed = slices.Clone(d.Closed)
	d.Recalled, d.Dismissed, d.Settled = slices.Clone(d.Recalled), slices.Clone(d.Dismissed), slices.Clone(d.Settled)
	d.Shut, d.Readmitted = slices.Clone(d.Shut), slices.Clone(d.Readmitted)
	return d
}

// Watch is what the poller has to read for a track.
type Watch struct {
	// Thread to read; empty: there is none.
	Thread string
	// Turns whose end is waited for, by id.
	Turns []string
	// Unsettled says that only a read can settle something.
	Unsettled bool
	// Live says that the conversation may go on in the thread.
	Live bool
	// Asks says that a request is open.
	Asks bool
	// ResumedBy, Policy and Barred are what the track knows of itself, so that only
	// what is new is told: [Data.ResumedBy], [Data.Policy], and whether it is closed
	// for a looser policy.
	ResumedBy string
	Policy    Policy
	Barred    bool
	// Found is the policy for which it is.
	Found Policy
}

// Watch tells what of the track only a read can settle.
func (d *Data) Watch() Watch {
	w := Watch{
		Thread: d.Thread, Live: !d.Superseded, Asks: len(d.Requests) > 0,
		ResumedBy: d.ResumedBy, Policy: d.Policy, Barred: slices.Contains(d.Shut, ClosedByPolicy), Found: d.Found,
	}
	for i := range d.Turns {
		w.Unsettled = true
		if d.Turns[i].ID != "" {
			w.Turns = append(w.Turns, d.Turns[i].ID)
		}
	}
	return w
}

// Unsent lists the messages that no turn is known to have, and whose senders were not
// told why.
func (d *Data) Unsent() (ids []string) {
	for i := range d.Messages {
		if m := &d.Messages[i]; d.unsent(m) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func (d *Data) unsent(m *Message) bool {
	return !d.Superseded && !m.told(SaidUnreachable) && (m.State == MessageOffered || m.waits() && len(m.Told) == 0 && !d.shut())
}

// Asking says that somebody is being asked whether a message is still to be sent, and
// Asks that the answer may mean such a message.
func (d *Data) Asking() bool {
	return slices.ContainsFunc(d.Messages, func(m Message) bool { return m.State == MessageAsked })
}

// Asks is explained at [Data.Asking].
func (d *Data) Asks(answer StaleAnswered) bool { return len(d.asked(answer)) > 0 }

// Refused says that the chat has refused something that is sent again once it is open.
func (d *Data) Refused() bool {
	return slices.ContainsFunc(d.Deliveries, func(o Delivery) bool { return o.State == DeliveryFailed })
}

func (d *Data) message(id string) *Message {
	for i := range d.Messages {
		if d.Messages[i].ID == id {
			return &d.Messages[i]
		}
	}
	return nil
}

func (d *Data) turn(id string) *Turn {
	for i := range d.Turns {
		if d.Turns[i].ID == id {
			return &d.Turns[i]
		}
	}
	return nil
}

func (d *Data) delivery(id string) *Delivery {
	for i := range d.Deliveries {
		if d.Deliveries[i].ID == id {
			return &d.Deliveries[i]
		}
	}
	return nil
}

func (d *Data) request(id string) *Request {
	for i := range d.Requests {
		if d.Requests[i].ID == id {
			return &d.Requests[i]
		}
	}
	return nil
}

// startOf returns the turn that the message's turn/start asked for, while it
// has no id.
func (d *Data) startOf(message string) *Turn {
	for i := range d.Turns {
		if d.Turns[i].Start == message && d.Turns[i].ID == "" {
			return &d.Turns[i]
		}
	}
	return nil
}

// TrackOf is the id of a track of a conversation: the conversation, a slash and a
// number, which counts from 1.
func TrackOf(conversation string, number int) string {
	return conversation + "/" + strconv.Itoa(number)
}

// FirstTrack is the id of a conversation's first track.
func FirstTrack(conversation string) string { return TrackOf(conversation, 1) }

// NextTrack is the id of the track after the given one.
func NextTrack(track string) string {
	conversation, number := SplitTrack(track)
	return TrackOf(conversation, number+1)
}

// SplitTrack takes a track's id apart. An id that is none counts as number 0 of
// a conversation of that name.
func SplitTrack(track string) (conversation string, number int) {
	i := strings.LastIndexByte(track, '/')
	if i < 0 {
		return track, 0
	}
	number, err := strconv.Atoi(track[i+1:])
	if err != nil {
		return track, 0
	}
	return track[:i], number
}

// uuidOf derives a delivery's uuid from its id: 32 hexadecimal digits, the same
// in every life of the bridge.
func uuidOf(delivery string) string {
	sum := sha256.Sum256([]byte(delivery))
	return hex.EncodeToString(sum[:16])
}

// queue returns the messages that can be offered to Codex, in order of arrival.
func (d *Data) queue() []*Message {
	if d.shut() {
		return nil
	}
	return d.waiting()
}

// waiting returns the messages that wait to be offered to Codex, in order of
// arrival, whether or not they can be just now.
func (d *Data) waiting() []*Message {
	var waiting []*Message
	for i := range d.Messages {
		if m := &d.Messages[i]; m.waits() {
			waiting = append(waiting, m)
		}
	}
	return waiting
}

// shut says that nothing may be sent to Codex.
func (d *Data) shut() bool { return len(d.Shut) > 0 }

// keeps says that the track keeps a message, of those that are meant, which no
// call has.
func (d *Data) keeps(meant func(*Message) bool) bool {
	for i := range d.Messages {
		if m := &d.Messages[i]; m.kept() && meant(m) {
			return true
		}
	}
	return false
}

func anyMessage(*Message) bool { return true }

// waits says that the message is in the ledger and in no call.
func (m *Message) waits() bool { return m.State == MessageKept || m.State == MessageHeld }

// kept says that no call has the message, and that it is to be sent without
// another word of its sender.
func (m *Message) kept() bool { return m.waits() || m.State == MessageFetching }

// over says that nothing more becomes of the message.
func (m *Message) over() bool {
	switch m.State {
	case MessageAnswered, MessageRefused, MessageMoved, MessageUnresolved, MessageWithdrawn:
		return true
	}
	return false
}

// mustEnd says that the turn is to be interrupted.
func (t *Turn) mustEnd() bool { return t.StopBy != "" || t.Cut }

// told says that the sentence was said to its sender.
func (m *Message) told(s SentenceID) bool { return slices.Contains(m.Told, s) }

// handed says that a call with the message is over, and that it is in no item
// we have seen.
func (m *Message) handed() bool {
	return m.State == MessageAccepted || m.State == MessageUncertain
}

// owes says that an outcome of the track is not confirmed.
func (d *Data) owes() bool {
	for i := range d.Deliveries {
		if d.Deliveries[i].Kind == Outcome && d.Deliveries[i].State != DeliveryShown {
			return true
		}
	}
	return false
}

// answerTo is the message that word about the turn answers: the last of ours that
// is proven in it, or the one that asked for it. Empty: nothing of ours is in it.
func (d *Data) answerTo(t *Turn) string { return cmp.Or(d.provenIn(t), t.Start) }

// active is the turn that takes text: the running one, the newest if there are
// several.
func (d *Data) active() *Turn {
	for i := len(d.Turns) - 1; i >= 0; i-- {
		if d.Turns[i].State == TurnInFlight {
			return &d.Turns[i]
		}
	}
	return nil
}
