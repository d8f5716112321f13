package transitions

import "deskbridge/fsm"

// The moves of a delivery; moveDoubt and moveRefuse are shared with messages.
const (
	movePart    = "part"
	moveConfirm = "confirm"
	moveArchive = "archive"
	moveResend  = "resend"
)

type (
	deliveryRow    = fsm.Row[DeliveryState, Delivery, Move, Effect]
	deliveryAction = fsm.Action[Delivery, Move, Effect]
)

var (
	noteShown = deliveryAction{
		Term: term("note_shown", "The delivery remembers the message in the chat."),
		Do:   func(d *Delivery, f Move, _ func(Effect)) { d.Shown = f.Shown },
	}
	notePart = deliveryAction{
		Term: term("note_part", "The delivery remembers how much of it stands in the chat."),
		Do:   func(d *Delivery, f Move, _ func(Effect)) { d.Sent = max(d.Sent, f.UpTo) },
	}
	noteRefusal = deliveryAction{
		Term: term("note_refusal", "The delivery remembers Feishu's reason."),
		Do:   func(d *Delivery, f Move, _ func(Effect)) { d.Code, d.Said = f.Code, f.Said },
	}
	sendAgain = deliveryAction{
		Term:  term("send_again", "What is left of the delivery is sent once more, under the same uuid."),
		Emits: []string{"deliver"},
		Do: func(d *Delivery, _ Move, emit func(Effect)) {
			d.Code, d.Said = 0, ""
			emit(Deliver{Delivery: d.ID, ReplyTo: d.ReplyTo, UUID: uuidOf(d.ID), Kind: d.Kind, Body: d.Body, From: d.Sent})
		},
	}
)

// DeliveryMachine declares what can become of one delivery.
func DeliveryMachine() fsm.Declaration[DeliveryState, Delivery, Move, Effect] {
	pending := []DeliveryState{DeliveryReady, DeliveryInDoubt}
	over := []DeliveryState{DeliveryShown, DeliveryFailed, DeliveryArchived}
	return fsm.Declaration[DeliveryState, Delivery, Move, Effect]{
		Term:    term("delivery", "One thing to be said in the chat, from outbox to proof."),
		Initial: DeliveryReady,
		States: []fsm.State[DeliveryState]{
			{Name: DeliveryReady, Doc: "In the outbox."},
			{Name: DeliveryInDoubt, Doc: "It may stand in the chat or not."},
			{Name: DeliveryShown, Doc: "Feishu answered with the id of the message.", Settled: true},
			{Name: DeliveryArchived, Doc: "An outcome of a superseded track: kept, and not pushed.", Settled: true},
			{Name: DeliveryFailed, Doc: "Feishu refused it for good; it is sent again once the chat is opened again, or somebody writes in it."},
		},
		Facts: []fsm.Term{
			term(movePart, "Feishu answered the send of a part, not the last, with a message id."),
			term(moveConfirm, "Feishu answered with a message id."),
			term(moveRefuse, "Feishu refused for good."),
			term(moveArchive, "Its track is superseded."),
			term(moveResend, "The chat, which was closed, is open again, or somebody writes in it."),
			term(moveDoubt, "It may have been sent, and repeating it is no longer safe."),
		},
		Effects: []fsm.Term{term("deliver", "Says something in the chat.")},
		Rows: []deliveryRow{
			{In: append(in(DeliveryFailed), pending...), On: moveConfirm, To: DeliveryShown, Do: []deliveryAction{noteShown}, Why: "A message id from the platform is the only proof."},
			{In: append(in(DeliveryFailed), pending...), On: movePart, Do: []deliveryAction{notePart}, Why: "What stands in the chat is not sent again; the rest is under way."},
			{In: in(DeliveryShown, DeliveryArchived), On: movePart, Ignore: true, Why: "It is settled."},
			{In: pending, On: moveRefuse, To: DeliveryFailed, Do: []deliveryAction{noteRefusal}, Why: "A definite refusal is a failure, and is kept to be seen."},
			{In: []DeliveryState{DeliveryReady}, On: moveDoubt, To: DeliveryInDoubt, Why: "It may stand in the chat: unknown, not failed, and not sent again blindly."},
			{In: []DeliveryState{DeliveryInDoubt}, On: moveDoubt, Ignore: true, Why: "It is in doubt already."},
			{In: in(DeliveryReady), On: moveArchive, To: DeliveryArchived, Why: "What a superseded track still produces is found by asking, never pushed."},
			{In: append(in(DeliveryInDoubt), over...), On: moveArchive, Ignore: true, Why: "It was sent while the track was the newest."},
			{In: in(DeliveryShown, DeliveryArchived), On: moveConfirm, Ignore: true, Why: "It is settled."},
			{In: in(DeliveryFailed), On: moveResend, To: DeliveryReady, Do: []deliveryAction{sendAgain}, Why: "A definite refusal proves that it does not stand there, so it may be sent again."},
			{In: append(in(DeliveryShown, DeliveryArchived), pending...), On: moveResend, Ignore: true, Why: "It was not refused."},
			{In: over, On: moveRefuse, Ignore: true, Why: "It is settled."},
			{In: over, On: moveDoubt, Ignore: true, Why: "It is settled."},
		},
		Clone: func(d Delivery) Delivery { return d },
	}
}
