package transitions

import "deskbridge/fsm"

// The machines, checked when the program starts: a faulty declaration is a
// defect of the program.
var (
	small = Small{
		Messages:   fsm.MustNew(MessageMachine()),
		Turns:      fsm.MustNew(TurnMachine()),
		Deliveries: fsm.MustNew(DeliveryMachine()),
		Requests:   fsm.MustNew(RequestMachine()),
	}
	conversation = fsm.MustNew(ConversationMachine())
)

// Conversation is the machine of a track.
func Conversation() *fsm.Machine[State, Data, Fact, Effect] { return conversation }

// Messages is the machine of one message.
func Messages() *fsm.Machine[MessageState, Message, Move, Effect] { return small.Messages }

// Turns is the machine of one turn.
func Turns() *fsm.Machine[TurnState, Turn, Move, Effect] { return small.Turns }

// Deliveries is the machine of one delivery.
func Deliveries() *fsm.Machine[DeliveryState, Delivery, Move, Effect] { return small.Deliveries }

// Requests is the machine of one request.
func Requests() *fsm.Machine[RequestState, Request, Move, Effect] { return small.Requests }

// Derive is the conversation's state as a function of the track's messages,
// turns, requests and deliveries. The conversation's table must agree with it
// after every step.
func Derive(d *Data) State {
	if d.Superseded {
		return Superseded
	}
	running := false
	for i := range d.Turns {
		if d.Turns[i].State == TurnUnknown {
			return RecoveryPending
		}
		running = true
	}
	switch {
	case running && d.anyRequest((*Request).visible):
		return WaitingVisible
	case running && (d.Waiting || d.anyRequest((*Request).hidden)):
		return PendingVisibility
	case running:
		return Steerable
	case !d.Answered || d.owes() || d.keeps(anyMessage):
		return Idle
	}
	return Delivered
}
