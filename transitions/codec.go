package transitions

import (
	"encoding/json"
	"fmt"
)

// EncodeFact writes a fact as JSON; its name goes beside it.
func EncodeFact(f Fact) ([]byte, error) { return json.Marshal(f) }

// DecodeFact reads a fact of the given name, as EncodeFact wrote it.
func DecodeFact(name string, body []byte) (Fact, error) {
	decode, ok := factDecoders[name]
	if !ok {
		return nil, fmt.Errorf("transitions: no fact is called %q", name)
	}
	f, err := decode(body)
	if err != nil {
		return nil, fmt.Errorf("transitions: fact %s: %w", name, err)
	}
	return f, nil
}

// EncodeEffect writes an effect as JSON; its name goes beside it.
func EncodeEffect(e Effect) ([]byte, error) { return json.Marshal(e) }

// DecodeEffect reads an effect of the given name, as EncodeEffect wrote it.
// Records are never read back.
func DecodeEffect(name string, body []byte) (Effect, error) {
	decode, ok := effectDecoders[name]
	if !ok {
		return nil, fmt.Errorf("transitions: no call is called %q", name)
	}
	e, err := decode(body)
	if err != nil {
		return nil, fmt.Errorf("transitions: effect %s: %w", name, err)
	}
	return e, nil
}

var factDecoders = map[string]func([]byte) (Fact, error){}

var effectDecoders = map[string]func([]byte) (Effect, error){}

func registerFact[T Fact]() {
	var zero T
	factDecoders[zero.FactName()] = func(b []byte) (Fact, error) {
		var f T
		err := json.Unmarshal(b, &f)
		return f, err
	}
}

func registerEffect[T Effect]() {
	var zero T
	effectDecoders[zero.EffectName()] = func(b []byte) (Effect, error) {
		var e T
		err := json.Unmarshal(b, &e)
		return e, err
	}
}

func init() {
	registerFact[MessageReceived]()
	registerFact[StopRequested]()
	registerFact[NewRequested]()
	registerFact[ModelRequested]()
	registerFact[HandedOver]()
	registerFact[AttachmentsReady]()
	registerFact[AttachmentsFailed]()
	registerFact[MessageRecalled]()
	registerFact[SenderDismissed]()
	registerFact[MessageStale]()
	registerFact[StaleAnswered]()
	registerFact[SendOverdue]()
	registerFact[ThreadOpened]()
	registerFact[ThreadRefused]()
	registerFact[ThreadResumed]()
	registerFact[ThreadLost]()
	registerFact[ThreadStatusChanged]()
	registerFact[TurnStartAccepted]()
	registerFact[TurnStartRefused]()
	registerFact[TurnStartUnknown]()
	registerFact[TurnStartWithdrawn]()
	registerFact[SteerAccepted]()
	registerFact[SteerRefused]()
	registerFact[SteerUnknown]()
	registerFact[SteerWithdrawn]()
	registerFact[InterruptAccepted]()
	registerFact[InterruptRefused]()
	registerFact[InterruptUnknown]()
	registerFact[TurnRunning]()
	registerFact[AgentMessageCompleted]()
	registerFact[TurnEnded]()
	registerFact[PullAnswered]()
	registerFact[PullImpossible]()
	registerFact[RequestOpened]()
	registerFact[RequestResolved]()
	registerFact[RequestVisible]()
	registerFact[RequestUnshowable]()
	registerFact[VisibilityOverdue]()
	registerFact[ReplayOverdue]()
	registerFact[WaitingOverdue]()
	registerFact[RequestAnswered]()
	registerFact[DecisionWritten]()
	registerFact[DecisionUnknown]()
	registerFact[DeliveryConfirmed]()
	registerFact[DeliveryPartShown]()
	registerFact[DeliveryRefused]()
	registerFact[DeliveryUnknown]()
	registerFact[ReceiptShown]()
	registerFact[EffectDropped]()
	registerFact[TurnSilent]()
	registerFact[BridgeStarted]()
	registerFact[GenerationChanged]()
	registerFact[ChatClosed]()
	registerFact[ChatReopened]()
	registerFact[TrackClosed]()
	registerFact[TrackOpened]()
	registerFact[ThreadsRequested]()
	registerFact[ThreadsListed]()
	registerFact[ThreadsUnlisted]()
	registerFact[ResumeRequested]()
	registerFact[ThreadFound]()
	registerFact[ThreadUnavailable]()

	registerEffect[OpenThread]()
	registerEffect[StartTurn]()
	registerEffect[SteerTurn]()
	registerEffect[InterruptTurn]()
	registerEffect[Deliver]()
	registerEffect[HandOver]()
	registerEffect[FetchFiles]()
	registerEffect[ShowProgress]()
	registerEffect[ShowReceipt]()
	registerEffect[ShowRequest]()
	registerEffect[AnswerRequest]()
	registerEffect[CloseRequest]()
	registerEffect[ListThreads]()
	registerEffect[BindThread]()
}
