package transitions

import "time"

// Handling is how the outbox treats an effect.
type Handling struct {
	// Record effects are written in the step's own transaction.
	Record bool
	// Volatile effects are hints: handed on after the commit, not stored.
	Volatile bool
	// Lane orders effects: of those of one track and lane, one is under way at a
	// time, in the order in which they were emitted. Empty: it waits for nobody.
	Lane string
	// Withdraws says that unsent effects of the track which can be withdrawn are
	// taken out of the outbox.
	Withdraws bool
	// IfLost is the fact to be recorded when an attempt was begun and nobody saw
	// what became of it. Nil: repeating the effect does no harm.
	IfLost Fact
	// IfWithdrawn is the fact to be recorded when the effect is taken out of the
	// outbox unsent. Nil: it is not to be withdrawn.
	IfWithdrawn Fact
}

// The lanes. Calls to Codex keep their order, but an interrupt overtakes them;
// outcomes keep theirs; notices and receipts queue behind nobody.
const (
	laneCodex   = "codex"
	laneOutcome = "outcome"
)

// Handle tells how the outbox treats an effect.
func Handle(e Effect) Handling {
	switch e := e.(type) {
	case RecordMessage, RecordTurn, RecordDelivery, RecordThread:
		return Handling{Record: true}
	case Pull:
		return Handling{Volatile: true}
	case Withdraw:
		return Handling{Volatile: true, Withdraws: true}
	case OpenThread:
		// A thread that was opened and forgotten is empty and harms nobody.
		return Handling{Lane: laneCodex}
	case StartTurn:
		return Handling{Lane: laneCodex, IfLost: TurnStartUnknown{Message: e.Message}, IfWithdrawn: TurnStartWithdrawn{Message: e.Message}}
	case SteerTurn:
		return Handling{
			Lane:        laneCodex,
			IfLost:      SteerUnknown{Message: e.Message, Turn: e.Turn},
			IfWithdrawn: SteerWithdrawn{Message: e.Message, Turn: e.Turn},
		}
	case InterruptTurn:
		return Handling{IfLost: InterruptUnknown{Turn: e.Turn}}
	case Deliver:
		// Feishu recognises a repeated uuid for an hour; what is older, the
		// sender declares unknown.
		if e.Kind == Outcome {
			return Handling{Lane: laneOutcome}
		}
		return Handling{}
	case ShowReceipt:
		return Handling{IfLost: ReceiptDropped{Message: e.Message, Said: "the bridge stopped while it was being set"}}
	}
	return Handling{}
}

// Attempt says which try at an effect this is.
type Attempt struct {
	// Number counts from 1.
	Number int
	// First is when the first one began.
	First time.Time
}

// Report is what became of an attempt: either facts, which settle the effect,
// or Again.
type Report struct {
	Facts []Fact
	Again *Again
}

// Again asks for another attempt.
type Again struct {
	// Sent says that this attempt may have taken effect, so that the effect must
	// not be withdrawn.
	Sent bool
	// After is the least time to wait; the outbox adds its backoff.
	After time.Duration
	// Err is why, for the operator.
	Err error
}

// Settled is the report of an effect whose result is known.
func Settled(facts ...Fact) Report { return Report{Facts: facts} }
