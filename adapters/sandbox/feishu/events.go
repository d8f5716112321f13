package feishu

import (
	"fmt"
	"time"
)

// Delivery is one event on its way to one client.
type Delivery struct {
	// Seq numbers deliveries, over all apps; an [Ack] repeats it. A redelivered
	// event has a new one.
	Seq     uint64
	EventID string
	Type    string // event_type
	// Body is the whole event of schema 2.0: header and event.
	Body []byte
	Sent time.Time
}

// EventStatus is what became of an event.
type EventStatus struct {
	ID, AppID, Type string
	// MessageID is the message that the event is about, if it is about one.
	MessageID string
	// Deliveries counts how often it was handed to a client.
	Deliveries int
	// Acknowledged says that a client answered with code 200.
	Acknowledged bool
	// Exhausted says that the last try is over, without an acknowledgement so far.
	Exhausted bool
}

type event struct {
	EventStatus
	body  []byte
	tries int    // of the redelivery clock, with or without a client
	stop  func() // the clock's next try
}

// Emit sends an event of any type to an app and returns its id (ev_1, …); event is
// what stands under "event", and must be encodable as JSON.
func (p *Platform) Emit(appID, eventType string, event any) (eventID string) {
	return p.emit(p.mustApp(appID), eventType, "", event)
}

// Redeliver hands an event to a client once more, acknowledged or not, and leaves
// the redelivery clock alone.
func (p *Platform) Redeliver(eventID string) {
	ev := p.events[eventID]
	if ev == nil {
		panic(fmt.Sprintf("feishu: no event %q", eventID))
	}
	p.send(ev)
}

// Events returns all events so far, oldest first.
func (p *Platform) Events() []EventStatus {
	all := make([]EventStatus, 0, len(p.eventOrder))
	for _, ev := range p.eventOrder {
		all = append(all, ev.EventStatus)
	}
	return all
}

// EventsOf returns the ids of the events about a message, oldest first.
func (p *Platform) EventsOf(messageID string) []string {
	var ids []string
	for _, ev := range p.eventOrder {
		if ev.MessageID == messageID {
			ids = append(ids, ev.ID)
		}
	}
	return ids
}

func (p *Platform) emit(a *app, eventType, messageID string, payload any) string {
	id := p.id("ev")
	ev := &event{
		EventStatus: EventStatus{ID: id, AppID: a.ID, Type: eventType, MessageID: messageID},
		body: encode(eventBody{
			Schema: "2.0",
			Header: eventHeader{
				EventID: id, EventType: eventType, CreateTime: millis(p.sched.Now()),
				AppID: a.ID, TenantKey: p.opts.TenantKey,
			},
			Event: payload,
		}),
	}
	p.events[id] = ev
	p.eventOrder = append(p.eventOrder, ev)
	p.try(ev)
	return id
}

// try is one try of the redelivery clock; it sets the next.
func (p *Platform) try(ev *event) {
	if ev.tries < len(p.opts.Redelivery) {
		ev.stop = p.sched.After(p.opts.Redelivery[ev.tries], func() { p.try(ev) })
	} else {
		ev.stop = nil
		ev.Exhausted = true
	}
	ev.tries++
	p.changed()
	p.send(ev)
}

// send hands an event to a client, or does to it what a fault says.
func (p *Platform) send(ev *event) {
	a := p.apps[ev.AppID]
	f, faulty := p.takeFault(EventMethod, ev.Type)
	if !faulty {
		p.transmit(a, ev)
		return
	}
	switch f.Kind {
	case LostBefore:
	case LostAfter:
		if c := p.transmit(a, ev); c != nil {
			c.drop()
		}
	case Silence:
		if c := a.next(); c != nil {
			c.silent = true
		}
	case Duplicate:
		p.transmit(a, ev)
		p.transmit(a, ev)
	case Overtaken:
		a.held = append(a.held, ev)
	case Slow:
		p.sched.After(f.Delay, func() { p.transmit(a, ev) })
	}
}

// transmit writes an event to the client whose turn it is, and after it those that
// were held to be overtaken. It returns that client, or nil if nobody is connected.
// On a silent connection what is written is lost.
func (p *Platform) transmit(a *app, ev *event) *Conn {
	c := a.next()
	if c == nil {
		return nil
	}
	if !c.silent {
		p.deliveries++
		ev.Deliveries++
		p.changed()
		c.inflight[p.deliveries] = ev
		c.sink.Deliver(Delivery{
			Seq: p.deliveries, EventID: ev.ID, Type: ev.Type, Body: ev.body, Sent: p.sched.Now(),
		})
	}
	late := a.held
	a.held = nil
	for _, other := range late {
		p.transmit(a, other)
	}
	return c
}

func (p *Platform) acknowledge(ev *event) {
	ev.Acknowledged = true
	ev.Exhausted = false
	if ev.stop != nil {
		ev.stop()
		ev.stop = nil
	}
	p.changed()
}

// The JSON of events. Pointers are written as null, which is how the platform
// writes ids that the app has no scope for.
type (
	eventBody struct {
		Schema string      `json:"schema"`
		Header eventHeader `json:"header"`
		Event  any         `json:"event"`
	}
	eventHeader struct {
		EventID    string `json:"event_id"`
		EventType  string `json:"event_type"`
		CreateTime string `json:"create_time"`
		Token      string `json:"token"`
		AppID      string `json:"app_id"`
		TenantKey  string `json:"tenant_key"`
	}
	userID struct {
		UnionID string  `json:"union_id"`
		UserID  *string `json:"user_id"`
		OpenID  string  `json:"open_id"`
	}
	messageEvent struct {
		Sender  messageEventSender  `json:"sender"`
		Message messageEventMessage `json:"message"`
	}
	messageEventSender struct {
		SenderID   userID `json:"sender_id"`
		SenderType string `json:"sender_type"`
		TenantKey  string `json:"tenant_key"`
	}
	messageEventMessage struct {
		MessageID   string         `json:"message_id"`
		RootID      string         `json:"root_id,omitempty"`
		ParentID    string         `json:"parent_id,omitempty"`
		CreateTime  string         `json:"create_time"`
		UpdateTime  string         `json:"update_time"`
		ChatID      string         `json:"chat_id"`
		ThreadID    string         `json:"thread_id,omitempty"`
		ChatType    ChatType       `json:"chat_type"`
		MessageType string         `json:"message_type"`
		Content     string         `json:"content"`
		Mentions    []mentionEvent `json:"mentions,omitempty"`
		UserAgent   string         `json:"user_agent"`
	}
	mentionEvent struct {
		Key           string `json:"key"`
		ID            userID `json:"id"`
		Name          string `json:"name"`
		MentionedType string `json:"mentioned_type"`
		TenantKey     string `json:"tenant_key"`
	}
)

func (p *Platform) emitMessage(a *app, c *chat, m *message) {
	var mentions []mentionEvent
	for _, at := range m.Mentions {
		kind := "user"
		if at.Bot {
			kind = "bot"
		}
		mentions = append(mentions, mentionEvent{
			Key: at.Key, ID: identify(at.OpenID), Name: at.Name,
			MentionedType: kind, TenantKey: p.opts.TenantKey,
		})
	}
	created := millis(m.Created)
	p.emit(a, "im.message.receive_v1", m.ID, messageEvent{
		Sender: messageEventSender{
			SenderID: identify(m.Sender.ID), SenderType: m.Sender.Type, TenantKey: p.opts.TenantKey,
		},
		Message: messageEventMessage{
			MessageID: m.ID, RootID: m.RootID, ParentID: m.ParentID,
			CreateTime: created, UpdateTime: created,
			ChatID: c.id, ThreadID: m.ThreadID, ChatType: c.kind,
			MessageType: m.Type, Content: m.Content, Mentions: mentions,
			UserAgent: "stand-in",
		},
	})
}

// identify gives the ids of a person or bot: the union_id is made from the
// open_id, the user_id is hidden.
func identify(openID string) userID { return userID{UnionID: "on_" + openID, OpenID: openID} }
