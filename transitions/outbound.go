package transitions

import "deskbridge/fsm/durable"

// What the outbox of fsm/durable knows, for our facts.
type (
	// Handling is how the outbox treats an effect.
	Handling = durable.Handling[Fact]
	// Attempt says which try at an effect this is.
	Attempt = durable.Attempt
	// Report is what became of an attempt.
	Report = durable.Report[Fact]
	// Again asks for another attempt.
	Again = durable.Again
)

// The lanes. Calls to Codex keep their order, but an interrupt overtakes them;
// outcomes keep theirs; notices and receipts queue behind nobody.
const (
	laneCodex   = "codex"
	laneOutcome = "outcome"
	// laneHandOver keeps the order in which people wrote.
	laneHandOver = "hand_over"
)

// Handle tells how the outbox treats an effect.
func Handle(e Effect) Handling {
	switch e := e.(type) {
	case RecordMessage, RecordTurn, RecordDelivery, RecordRequest, RecordThread, OpenTrack:
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
	case HandOver:
		// The next track takes a message from this one once.
		return Handling{Lane: laneHandOver}
	case ShowRequest, CloseRequest:
		// A card has its uuid, and closing it twice closes it.
		return Handling{}
	case AnswerRequest:
		return Handling{IfLost: DecisionUnknown{Request: e.Request}}
	case ListThreads, BindThread:
		// Reading twice reads the same.
		return Handling{}
	case FetchFiles:
		// A file that is fetched twice is the same file.
		return Handling{}
	case ShowReceipt:
		return Handling{IfLost: EffectDropped{Effect: e.EffectName(), Subject: e.Message, Said: saidLost}}
	case ShowProgress:
		return Handling{IfLost: EffectDropped{Effect: e.EffectName(), Subject: e.Turn, Said: saidLost}}
	}
	return Handling{}
}

// saidLost is why an effect that may be lost is not tried again.
const saidLost = "the bridge stopped while it was being shown"

// Settled is the report of an effect whose result is known.
func Settled(facts ...Fact) Report { return Report{Facts: facts} }
