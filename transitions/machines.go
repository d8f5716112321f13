package transitions

import "deskbridge/fsm"

// The machines, checked when the program starts: a faulty declaration is a
// defect of the program.
var (
	messages     = fsm.MustNew(MessageMachine())
	turns        = fsm.MustNew(TurnMachine())
	deliveries   = fsm.MustNew(DeliveryMachine())
	conversation = fsm.MustNew(ConversationMachine())
)

// Conversation is the machine of a track.
func Conversation() *fsm.Machine[State, Data, Fact, Effect] { return conversation }

// Messages is the machine of one message.
func Messages() *fsm.Machine[MessageState, Message, Move, Effect] { return messages }

// Turns is the machine of one turn.
func Turns() *fsm.Machine[TurnState, Turn, Move, Effect] { return turns }

// Deliveries is the machine of one delivery.
func Deliveries() *fsm.Machine[DeliveryState, Delivery, Move, Effect] { return deliveries }

// Derive is the conversation's state as a function of the track's messages,
// turns and deliveries. The conversation's table must agree with it after every step.
func Derive(d *Data) State {
	state := Delivered
	if !d.Answered || d.owes() || len(d.queue()) > 0 {
		state = Idle
	}
	for i := range d.Turns {
		switch d.Turns[i].State {
		case TurnUnknown:
			return RecoveryPending
		case TurnInFlight:
			state = Steerable
		}
	}
	return state
}
