package fsm_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"deskbridge/fsm"
	"github.com/google/go-cmp/cmp"
)

func TestTheOutlineIsTheDeclarationAsValues(t *testing.T) {
	t.Parallel()
	ring := []string{"ring"}
	bell := []string{"ring_bell"}
	none := []string{}
	want := fsm.Outline{
		Name: "turnstile", Doc: "Lets one person through for each coin.", Initial: "locked",
		States: []fsm.OutlineState{
			{Name: "locked", Doc: "Nobody gets through.", Settled: true},
			{Name: "unlocked", Doc: "One person gets through."},
		},
		Facts:   []fsm.OutlineTerm{{Name: "coin", Doc: "A coin was put in."}, {Name: "push", Doc: "Somebody pushed."}},
		Effects: []fsm.OutlineTerm{{Name: "greet", Doc: "Greets a person."}, {Name: "ring_bell", Doc: "Calls the guard."}},
		Guards: []fsm.OutlineTerm{
			{Name: "welcome", Doc: "The person is no stranger."},
			{Name: "not_welcome", Doc: "Not: The person is no stranger."},
		},
		Actions: []fsm.OutlineAction{
			{Name: "keep_coin", Doc: "The coin is kept.", Emits: none},
			{Name: "ring", Doc: "The bell rings.", Emits: bell},
			{Name: "let_through", Doc: "The person goes through and is greeted.", Emits: []string{"greet"}},
		},
		Cells: []fsm.OutlineCell{
			{State: "locked", Fact: "coin", Rows: []fsm.OutlineRow{
				{ID: "locked.coin.1", Guards: none, Target: "unlocked", Actions: []string{"keep_coin"}, Effects: none, Why: "A coin buys one passage."}}},
			{State: "locked", Fact: "push", Rows: []fsm.OutlineRow{
				{ID: "locked.push.1", Guards: none, Target: "locked", Actions: ring, Effects: bell, Why: "Without a coin nobody gets through."}}},
			{State: "unlocked", Fact: "coin", Rows: []fsm.OutlineRow{
				{ID: "unlocked.coin.1", Guards: none, Target: "unlocked", Actions: none, Effects: none, Ignore: true, Why: "It is open already, and gives the coin back."}}},
			{State: "unlocked", Fact: "push", Rows: []fsm.OutlineRow{
				{ID: "unlocked.push.1", Guards: []string{"welcome"}, Target: "locked", Actions: []string{"let_through"}, Effects: []string{"greet"}, Why: "The passage is used."},
				{ID: "unlocked.push.2", Guards: []string{"not_welcome"}, Target: "unlocked", Actions: ring, Effects: bell, Why: "A stranger is kept out, and the coin stays good."}}},
		},
	}
	got := fsm.MustNew(turnstile()).Outline()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(got)
	if err != nil || bytes.Contains(text, []byte("null")) {
		t.Errorf("a list is null in %s (%v)", text, err)
	}
}

func TestAPathSurvivesItsFile(t *testing.T) {
	t.Parallel()
	path := []fsm.PathStep{
		{Track: "gate", Step: 1, At: time.UnixMilli(1500).UTC(), Fact: "coin", From: "locked", To: "unlocked", Entry: "locked.coin.1", Why: "A <coin> buys one."},
		{Track: "gate", Step: 2, At: time.UnixMilli(2500).UTC(), Fact: "push", From: "unlocked", To: "locked", Entry: "unlocked.push.1"},
	}
	var file bytes.Buffer
	if err := fsm.WritePath(&file, path); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(file.String(), "\n")
	if want := `{"track":"gate","step":1,"at":"1970-01-01T00:00:01.5Z","fact":"coin","from":"locked","to":"unlocked","entry":"locked.coin.1","why":"A <coin> buys one."}`; first != want {
		t.Errorf("got  %s\nwant %s", first, want)
	}
	got, err := fsm.ReadPath(strings.NewReader("\n" + file.String() + "  \n"))
	if diff := cmp.Diff(path, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestALineThatIsNoStepIsNamed(t *testing.T) {
	t.Parallel()
	good := `{"track":"gate","fact":"coin","from":"locked","to":"unlocked"}` + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":      {good + "nonsense", "line 2"},
		"not a step":   {good + good + `{"track":"gate","fact":"coin"}`, "line 3 of the path: a step has a track"},
		"another type": {`{"track":1}`, "line 1"},
		"endless line": {good + `{"track":"` + strings.Repeat("x", 1<<20), "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fsm.ReadPath(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
