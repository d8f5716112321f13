package transitions

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func id(t *rapid.T, what string) string { return rapid.String().Draw(t, what) }

func ids(t *rapid.T, what string) []string {
	return rapid.OneOf(rapid.Just[[]string](nil), rapid.SliceOfN(rapid.String(), 1, 3)).Draw(t, what)
}

func files(t *rapid.T) []File {
	file := rapid.Custom(func(t *rapid.T) File {
		return File{Key: id(t, "key"), Name: id(t, "name"), Image: rapid.Bool().Draw(t, "image"), Path: id(t, "path"), Lost: id(t, "lost")}
	})
	return rapid.OneOf(rapid.Just[[]File](nil), rapid.SliceOfN(file, 1, 2)).Draw(t, "files")
}

func millis(t *rapid.T, what string) Millis { return Millis(rapid.Int64().Draw(t, what)) }

// anyFacts makes one fact of each kind, with values of any sort.
func anyFacts(t *rapid.T) []Fact {
	message, turn, said, delivery := id(t, "message"), id(t, "turn"), id(t, "said"), id(t, "delivery")
	refusal, request := Refusal(id(t, "refusal")), id(t, "request")
	link := Link{Connection: id(t, "connection"), Generation: id(t, "generation")}
	return []Fact{
		MessageReceived{Message: message, Sender: id(t, "sender"), Text: id(t, "text"), Created: millis(t, "created"), From: id(t, "from"), Files: files(t), Confirmed: rapid.Bool().Draw(t, "confirmed"), Told: []SentenceID{SaidHeld}},
		StopRequested{Message: message, Sender: id(t, "sender"), Created: millis(t, "created"), Entitled: rapid.Bool().Draw(t, "entitled")},
		NewRequested{Message: message, Sender: id(t, "sender"), Created: millis(t, "created"), Entitled: rapid.Bool().Draw(t, "entitled")},
		HandedOver{Message: message},
		ThreadOpened{Thread: id(t, "thread"), Version: id(t, "version"), Policy: policy(t), Transcript: Transcript(id(t, "transcript"))},
		ThreadRefused{Said: said},
		TurnStartAccepted{Message: message, Turn: turn},
		TurnStartRefused{Message: message, Refusal: refusal, Said: said},
		TurnStartUnknown{Message: message, Link: link},
		TurnStartWithdrawn{Message: message},
		SteerAccepted{Message: message, Turn: turn},
		SteerRefused{Message: message, Turn: turn, Refusal: refusal, Said: said},
		SteerUnknown{Message: message, Turn: turn},
		SteerWithdrawn{Message: message, Turn: turn},
		InterruptAccepted{Turn: turn},
		InterruptRefused{Turn: turn, Said: said},
		InterruptUnknown{Turn: turn},
		TurnRunning{Turn: turn, Messages: ids(t, "messages")},
		TurnEnded{Turn: turn, Status: EndStatus(id(t, "status")), Messages: ids(t, "messages"), Reply: id(t, "reply"), Said: said},
		PullAnswered{Idle: rapid.Bool().Draw(t, "idle"), Turns: ids(t, "turns"), Link: link, At: millis(t, "at"), Settle: millis(t, "settle")},
		DeliveryConfirmed{Delivery: delivery, Shown: id(t, "shown")},
		DeliveryPartShown{Delivery: delivery, Shown: id(t, "shown"), UpTo: rapid.IntRange(1, 1<<20).Draw(t, "up to")},
		DeliveryRefused{Delivery: delivery, Code: rapid.Int().Draw(t, "code"), Said: said},
		DeliveryUnknown{Delivery: delivery},
		ReceiptShown{Message: message, Reaction: id(t, "reaction")},
		EffectDropped{Effect: id(t, "effect"), Subject: message, Said: said},
		ModelRequested{Message: message, Sender: id(t, "sender"), Model: id(t, "model"), Entitled: rapid.Bool().Draw(t, "entitled")},
		AttachmentsReady{Message: message, Files: files(t)},
		AttachmentsFailed{Message: message, Files: files(t)},
		MessageRecalled{Message: message},
		SenderDismissed{Sender: id(t, "sender")},
		MessageStale{Message: message, Turn: turn},
		StaleAnswered{Message: message, About: id(t, "about"), By: id(t, "by"), Run: rapid.Bool().Draw(t, "run"), Entitled: rapid.Bool().Draw(t, "entitled")},
		SendOverdue{Message: message},
		ThreadResumed{Thread: id(t, "thread"), Connection: link.Connection, Version: id(t, "version"), Created: id(t, "created by"), Policy: policy(t)},
		ThreadLost{Said: said},
		ThreadStatusChanged{Status: ThreadStatus(id(t, "status")), Waiting: rapid.Bool().Draw(t, "waiting")},
		AgentMessageCompleted{Turn: turn, Item: id(t, "item"), Text: id(t, "text")},
		PullImpossible{Said: said, After: millis(t, "after")},
		WaitingOverdue{Turn: turn},
		TurnSilent{Turn: turn},
		BridgeStarted{},
		ChatClosed{Said: said},
		ChatReopened{},
		TrackClosed{Why: Closing(id(t, "why")), Policy: policy(t)},
		TrackOpened{Why: Closing(id(t, "why")), Policy: policy(t)},
		RequestOpened{Request: request, Kind: id(t, "kind"), Turn: turn, Generation: link.Generation},
		RequestResolved{Request: request},
		RequestVisible{Request: request, Shown: id(t, "shown"), Form: id(t, "form")},
		RequestUnshowable{Request: request, Said: said},
		VisibilityOverdue{Request: request},
		ReplayOverdue{Request: request, Connection: link.Connection},
		RequestAnswered{Request: request, By: id(t, "by"), Decision: id(t, "decision"), Message: message, Entitled: rapid.Bool().Draw(t, "entitled")},
		DecisionWritten{Request: request},
		DecisionUnknown{Request: request},
		GenerationChanged{Generation: link.Generation},
		ThreadsRequested{Message: message, Sender: id(t, "sender")},
		ThreadsListed{Message: message, Threads: []DeskThread{{Thread: id(t, "thread"), Title: id(t, "title"), Used: millis(t, "used"), Taken: true}}, At: millis(t, "at")},
		ThreadsUnlisted{Message: message, Why: Unavailable(id(t, "why")), Said: said},
		ResumeRequested{Message: message, Sender: id(t, "sender"), Created: millis(t, "created"), Number: rapid.Int().Draw(t, "number"), Entitled: true},
		ThreadFound{Message: message, Thread: id(t, "thread")},
		ThreadUnavailable{Message: message, Why: Unavailable(id(t, "why")), Said: said},
	}
}

func policy(t *rapid.T) Policy {
	return Policy{
		Approval: id(t, "approval"), Reviewer: id(t, "reviewer"), Sandbox: id(t, "sandbox"),
		Network: rapid.Bool().Draw(t, "network"), Writable: id(t, "writable"),
	}
}

// anyCalls makes one call of each kind that the outbox stores.
func anyCalls(t *rapid.T) []Effect {
	thread, message, turn, text := id(t, "thread"), id(t, "message"), id(t, "turn"), id(t, "text")
	return []Effect{
		OpenThread{Rebuild: true, Policy: policy(t)},
		StartTurn{Thread: thread, Message: message, Text: text, Files: files(t), Model: id(t, "model"), Created: millis(t, "created"), Confirmed: true},
		SteerTurn{Thread: thread, Turn: turn, Message: message, Text: text, Files: files(t), Created: millis(t, "created"), Confirmed: true},
		InterruptTurn{Thread: thread, Turn: turn},
		Deliver{
			Delivery: id(t, "delivery"), ReplyTo: message, UUID: id(t, "uuid"), Kind: DeliveryKind(id(t, "kind")),
			Body: Body{Text: text, Sentence: SentenceID(id(t, "sentence")), Args: ids(t, "args"), Parts: []Body{{Text: text}}},
		},
		HandOver{Message: message, Sender: id(t, "sender"), Text: text, Created: millis(t, "created"), Files: files(t), Confirmed: true, Told: []SentenceID{SaidHeld}},
		FetchFiles{Message: message, Files: files(t)},
		ShowProgress{Turn: turn, ReplyTo: message, Item: id(t, "item"), Text: text},
		ShowReceipt{Message: message},
		ShowRequest{Request: id(t, "request"), Kind: id(t, "kind"), Turn: turn},
		AnswerRequest{Request: id(t, "request"), Decision: id(t, "decision")},
		CloseRequest{Request: id(t, "request")},
		ListThreads{Message: message},
		BindThread{Message: message, Thread: thread},
	}
}

// everyEffect is one effect of each kind, without values.
func everyEffect() []Effect {
	return []Effect{
		OpenThread{}, StartTurn{}, SteerTurn{}, InterruptTurn{}, Pull{}, Withdraw{}, Deliver{}, HandOver{}, FetchFiles{}, ShowProgress{}, ShowReceipt{},
		ShowRequest{}, AnswerRequest{}, CloseRequest{}, ListThreads{}, BindThread{},
		RecordMessage{}, RecordTurn{}, RecordDelivery{}, RecordRequest{}, RecordThread{}, OpenTrack{},
	}
}

func TestEveryFactSurvivesItsEncoding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		for _, fact := range anyFacts(t) {
			names = append(names, fact.FactName())
			b, err := EncodeFact(fact)
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeFact(fact.FactName(), b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fact, got); diff != "" {
				t.Fatalf("%s:\n%s", fact.FactName(), diff)
			}
		}
		for _, declared := range conversationFacts() {
			if !slices.Contains(names, declared.Name) {
				t.Fatalf("%s is declared and not tested", declared.Name)
			}
		}
	})
}

func TestEveryCallSurvivesItsEncoding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, call := range anyCalls(t) {
			b, err := EncodeEffect(call)
			if err != nil {
				t.Fatal(err)
			}
			got, err := DecodeEffect(call.EffectName(), b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(call, got); diff != "" {
				t.Fatalf("%s:\n%s", call.EffectName(), diff)
			}
		}
	})
}

// TestWhatIsStoredCanBeReadBack holds that the outbox can decode exactly what
// it stores: every effect that is neither a record nor a hint.
func TestWhatIsStoredCanBeReadBack(t *testing.T) {
	t.Parallel()
	stored := slices.Sorted(maps.Keys(effectDecoders))
	var calls []string
	for _, e := range everyEffect() {
		if h := Handle(e); !h.Record && !h.Volatile {
			calls = append(calls, e.EffectName())
		}
	}
	slices.Sort(calls)
	if diff := cmp.Diff(calls, stored); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnknownNameIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := DecodeFact("turn_teleported", []byte("{}")); err == nil || !strings.Contains(err.Error(), `"turn_teleported"`) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"teleport", "record_message", "pull"} {
		if _, err := DecodeEffect(name, []byte("{}")); err == nil || !strings.Contains(err.Error(), `"`+name+`"`) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestABodyThatIsNotJSONIsAnErrorThatNamesTheKind(t *testing.T) {
	t.Parallel()
	for name := range factDecoders {
		if _, err := DecodeFact(name, []byte("{")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("fact %s: got %v", name, err)
		}
	}
	for name := range effectDecoders {
		if _, err := DecodeEffect(name, []byte("[]")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("effect %s: got %v", name, err)
		}
	}
}

// FuzzDecodeFact holds that whatever is read from the journal either is refused
// or is a fact of that name, which its own encoding gives back.
func FuzzDecodeFact(f *testing.F) {
	for name := range factDecoders {
		f.Add(name, []byte(`{}`))
		f.Add(name, []byte(`{"message":"om_1","turn":"t","messages":["om_1",""],"at":-1,"link":null}`))
	}
	f.Add("", []byte(nil))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		fact, err := DecodeFact(name, body)
		if err != nil {
			return
		}
		if fact.FactName() != name {
			t.Fatalf("%s is decoded as %s", name, fact.FactName())
		}
		b, err := EncodeFact(fact)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeFact(name, b)
		if err != nil {
			t.Fatal(err)
		}
		once, err := EncodeFact(again)
		if err != nil {
			t.Fatal(err)
		}
		if string(once) != string(b) {
			t.Fatalf("%s, then %s", b, once)
		}
	})
}
