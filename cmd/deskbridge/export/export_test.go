package export

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deskbridge/store"
	"deskbridge/store/storetest"
	tr "deskbridge/transitions"
)

// written is what is exported, a line each.
func written(t *testing.T, b store.Books, o Options) []string {
	t.Helper()
	var w strings.Builder
	if err := Write(&w, b, o); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(w.String(), "\n"), "\n")
}

func TestALineOfEachKind(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Tell("oc_1/1", tr.MessageReceived{Message: "om_1", Sender: "ou_a", Text: "你好", Created: 7, Files: []tr.File{{Key: "file_1", Name: "plan.pdf"}}})
	b := l.Books()
	b.Outbox = b.Outbox[:1]
	b.Outbox[0].Attempt.Number, b.Outbox[0].Attempt.First, b.Outbox[0].Leased = 2, storetest.Noon, true
	b.Turns = []store.Row[tr.Turn]{{Track: "oc_1/1", At: storetest.Noon, Of: tr.Turn{ID: "A", State: tr.TurnFailed, Said: "no quota"}}}
	b.Deliveries = []store.Row[tr.Delivery]{{Track: "oc_1/1", At: storetest.Noon, Of: tr.Delivery{
		ID: "d", Kind: tr.Notice, State: tr.DeliveryFailed, ReplyTo: "om_1", Body: tr.Body{Sentence: tr.SaidFailed, Args: []string{"no", "quota"}}, Code: 5,
	}}}
	b.Requests = []store.Row[tr.Request]{{Track: "oc_1/1", At: storetest.Noon, Of: tr.Request{ID: "r", Kind: "approval", Turn: "A", State: tr.RequestEnded, By: "ou_a", Decision: "accept"}}}
	want := []string{
		`{"kind":"track","track":"oc_1/1","step":1,"state":"idle","row":{"messages":[{"created":7,"files":[{"key":"file_1","name_length":8}],"id":"om_1","sender":"ou_a","state":"fetching","text_length":2}],"track":"oc_1/1"}}`,
		`{"kind":"message","track":"oc_1/1","at":"2024-01-02T12:00:00Z","row":{"created":7,"id":"om_1","sender":"ou_a","state":"fetching","text_length":2}}`,
		`{"kind":"turn","track":"oc_1/1","at":"2024-01-02T12:00:00Z","row":{"id":"A","said_length":8,"state":"failed"}}`,
		`{"kind":"delivery","track":"oc_1/1","at":"2024-01-02T12:00:00Z","row":{"body":{"args_length":7,"sentence":"turn_failed"},"code":5,"id":"d","kind":"notice","reply_to":"om_1","state":"refused"}}`,
		`{"kind":"request","track":"oc_1/1","at":"2024-01-02T12:00:00Z","row":{"by":"ou_a","decision":"accept","id":"r","kind":"approval","state":"resolved","turn":"A"}}`,
		`{"kind":"journal","track":"oc_1/1","at":"2024-01-02T12:00:00Z","step":1,"from":"idle","to":"idle","entry":"idle.message_received.4","name":"message_received","row":{"created":7,"files":[{"key":"file_1","name_length":8}],"message":"om_1","sender":"ou_a","text_length":2}}`,
		`{"kind":"outbox","track":"oc_1/1","step":1,"name":"show_receipt","id":1,"leased":true,"attempts":2,"since":"2024-01-02T12:00:00Z","row":{"message":"om_1"}}`,
	}
	if diff := cmp.Diff(want, written(t, b, Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestTextsAreLetOutOnlyIfAskedFor(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Sound()
	b := l.Books()
	texts := []string{`"do it"`, `"and this"`, `"slow"`, `"too late"`, `"done"`}
	without, with := strings.Join(written(t, b, Options{}), "\n"), strings.Join(written(t, b, Options{WithText: true}), "\n")
	for _, text := range texts {
		if strings.Contains(without, text) || !strings.Contains(with, text) {
			t.Errorf("%s is exported: %t; asked for: %t", text, strings.Contains(without, text), strings.Contains(with, text))
		}
	}
}

// TestTheSecretIsNeverLetOut lets people and servers write the secret everywhere.
func TestTheSecretIsNeverLetOut(t *testing.T) {
	t.Parallel()
	const secret = `s<"é`
	l := storetest.New(t)
	l.Tell("oc_1/1", tr.MessageReceived{Message: "om_1", Sender: "ou_a", Text: "it is " + secret + ", really", Created: 7}, tr.ThreadRefused{Said: secret})
	lines := written(t, l.Books(), Options{WithText: true, Secret: secret})
	cleared := 0
	for _, line := range lines {
		var all any
		if err := json.Unmarshal([]byte(line), &all); err != nil {
			t.Fatal(err)
		}
		cleared += strings.Count(line, "[secret]")
		if contains(all, secret) {
			t.Errorf("it is in %s", line)
		}
	}
	if cleared < 3 {
		t.Errorf("it was cleared %d times from %q", cleared, lines)
	}
}

// contains says that a string of a JSON value holds a text.
func contains(value any, text string) bool {
	switch value := value.(type) {
	case string:
		return strings.Contains(value, text)
	case []any:
		return slices.ContainsFunc(value, func(one any) bool { return contains(one, text) })
	case map[string]any:
		for _, member := range value {
			if contains(member, text) {
				return true
			}
		}
	}
	return false
}

// words are the members that hold what people, Codex and servers write.
var words = []string{"args", "lost", "name", "path", "reply", "said", "text", "title", "writable"}

// TestEveryFieldIsEitherPlainOrWords holds that somebody has thought about each string
// that a ledger can hold.
func TestEveryFieldIsEitherPlainOrWords(t *testing.T) {
	t.Parallel()
	fields := map[string]bool{}
	for _, kind := range []reflect.Type{reflect.TypeFor[tr.Data](), reflect.TypeFor[tr.Delivery](), reflect.TypeFor[tr.Request]()} {
		stringsOf(kind, fields)
	}
	for _, term := range tr.Conversation().Declaration().Facts {
		f, err := tr.DecodeFact(term.Name, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		stringsOf(reflect.TypeOf(f), fields)
	}
	for _, term := range tr.Conversation().Declaration().Effects {
		if e, err := tr.DecodeEffect(term.Name, []byte("{}")); err == nil { // the others are no calls
			stringsOf(reflect.TypeOf(e), fields)
		}
	}
	for name := range fields {
		if plain[name] == slices.Contains(words, name) {
			t.Errorf("%s is plain: %t, and words: %t", name, plain[name], slices.Contains(words, name))
		}
	}
	for name := range plain {
		if !fields[name] {
			t.Errorf("%s is plain, and no field", name)
		}
	}
}

// stringsOf adds the names of a type's fields that are strings or lists of them.
func stringsOf(kind reflect.Type, fields map[string]bool) {
	switch kind.Kind() {
	case reflect.Slice:
		stringsOf(kind.Elem(), fields)
	case reflect.Struct:
		for i := range kind.NumField() {
			f := kind.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			of := f.Type
			for of.Kind() == reflect.Slice {
				of = of.Elem()
			}
			if of.Kind() == reflect.String {
				fields[name] = true
			}
			if of != kind { // a body has bodies
				stringsOf(of, fields)
			}
		}
	}
}

func TestAWriterThatFailsEndsIt(t *testing.T) {
	t.Parallel()
	l := storetest.New(t)
	l.Sound()
	w := &full{}
	if err := Write(w, l.Books(), Options{}); !errors.Is(err, errFull) || w.writes != 1 {
		t.Errorf("%v after %d writes", err, w.writes)
	}
}

var errFull = errors.New("full")

type full struct{ writes int }

func (w *full) Write([]byte) (int, error) { w.writes++; return 0, errFull }
