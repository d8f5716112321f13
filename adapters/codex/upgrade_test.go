package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

// upgrading is a client of a server of 0.155.0 while another version is installed.
type upgrading struct {
	*desk
	log       bytes.Buffer
	installed Installed
	asked     int
	replaced  []string // generations
	// done ends the replacement under way.
	done func(error)
}

func newUpgrading(t *testing.T, installed string) *upgrading {
	t.Helper()
	u := &upgrading{installed: Installed{Version: installed, LoggedIn: AnswerYes}}
	u.desk = newDesk(t, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(&u.log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		o.Installed = func(done func(Installed, error)) {
			u.asked++
			u.v.Post(func() { done(u.installed, nil) })
		}
		o.Replace = func(generation string, done func(error)) {
			u.replaced = append(u.replaced, generation)
			u.done = done
		}
	})
	u.d.generation = "4711-1-boot"
	u.d.auto["initialize"] = answers(map[string]any{"userAgent": "deskbridge/0.155.0 (Debian)"})
	u.d.auto[methodLoaded] = answers(map[string]any{"data": []any{thread1}, "nextCursor": nil})
	u.d.auto[methodRead] = answers(threadIs("idle"))
	u.d.auto[methodList] = answers(listOf(aTurn("turn-1", "completed")))
	return u
}

// warned are the warnings so far.
func (u *upgrading) warned() []string {
	var lines []string
	for line := range strings.Lines(u.log.String()) {
		if strings.HasPrefix(line, "level=WARN") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestAnOlderServerIsReplacedOnceNothingGoesOn(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "0.171.0")
	u.start()
	if len(u.replaced) != 0 {
		t.Fatal("replaced after one look")
	}
	u.v.Advance(5 * time.Second)
	if diff := cmp.Diff([]string{"4711-1-boot"}, u.replaced); diff != "" {
		t.Fatalf("replaced (-want +got):\n%s", diff)
	}
	round := []string{methodLoaded, methodRead, methodList}
	u.conn().called(slices.Concat([]string{"initialize", "initialized"}, round, round)...)
	if !u.conn().closed || u.c.Status().Connected {
		t.Error("the connection to the server that is being ended is still there")
	}
	u.execute(start) // meanwhile
	u.again(false)
	u.v.Advance(time.Minute)
	if u.d.dials != 1 {
		t.Error("dialled while the server was being ended")
	}

	u.d.generation = "4712-1-boot"
	u.d.auto["initialize"] = answers(map[string]any{"userAgent": "deskbridge/0.171.0 (Debian)"})
	u.v.Post(func() { u.done(nil) })
	u.v.Advance(10 * time.Minute)
	if got := u.c.Status(); !got.Connected || got.Version != "0.171.0" || u.ready != 2 || len(u.replaced) != 1 || len(u.troubles) != 0 {
		t.Errorf("%+v, ready %d times, replaced %d, troubles %q", got, u.ready, len(u.replaced), u.troubles)
	}
	want := []string{`level=WARN msg="a newer version of Codex is installed than the one that runs" running=0.155.0 installed=0.171.0 then="it is replaced as soon as no turn runs on it"`}
	if diff := cmp.Diff(want, u.warned()); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestAServerWithSomethingGoingOnIsNotReplaced: each time there is one reason.
func TestAServerWithSomethingGoingOnIsNotReplaced(t *testing.T) {
	t.Parallel()
	tests := map[string]func(u *upgrading){
		"a turn of the bridge's own": func(u *upgrading) { u.watch(true, "turn-1") },
		"a turn of another client":   func(u *upgrading) { u.d.auto[methodRead] = answers(threadIs("active")) },
		"a status that is not known": func(u *upgrading) { u.d.auto[methodRead] = answers(threadIs("dreaming")) },
		"a turn that the status does not show yet": func(u *upgrading) {
			u.d.auto[methodList] = answers(listOf(aTurn("turn-2", "inProgress")))
		},
		"a thread that is not stored": func(u *upgrading) { u.d.auto[methodList] = refuses(-32601, "list_turns is not supported yet") },
		"a thread without a turn":     func(u *upgrading) { u.d.auto[methodList] = answers(listOf()) },
		"an overloaded server":        func(u *upgrading) { u.d.auto[methodRead] = refuses(codeOverloaded, "Server overloaded; retry later.") },
		"a server that does not say":  func(u *upgrading) { u.d.auto[methodLoaded] = refuses(-32600, "no") },
		"a list that says nothing":    func(u *upgrading) { u.d.auto[methodLoaded] = answers(map[string]any{}) },
		"a list without an end": func(u *upgrading) {
			u.d.auto[methodLoaded] = answers(map[string]any{"data": []any{}, "nextCursor": "same"})
		},
		"another thread is busy": func(u *upgrading) {
			u.d.auto[methodLoaded] = func(raw json.RawMessage) (any, *refuse) {
				if strings.Contains(string(raw), "cursor") {
					return map[string]any{"data": []any{"thread-2"}, "nextCursor": nil}, nil
				}
				return map[string]any{"data": []any{thread1}, "nextCursor": "2"}, nil
			}
			u.d.auto[methodRead] = func(raw json.RawMessage) (any, *refuse) {
				if strings.Contains(string(raw), "thread-2") {
					return threadIs("active"), nil
				}
				return threadIs("idle"), nil
			}
		},
	}
	for name, busy := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpgrading(t, "0.171.0")
			busy(u)
			u.start()
			u.v.Advance(20 * time.Minute)
			if len(u.replaced) != 0 || len(u.warned()) > 2 || u.d.dials != 1 {
				t.Errorf("replaced %q after %d dials; said %q", u.replaced, u.d.dials, u.warned())
			}
			// And is once it is over.
			calm := newUpgrading(t, "0.171.0").d.auto
			u.d.auto[methodLoaded], u.d.auto[methodRead], u.d.auto[methodList] = calm[methodLoaded], calm[methodRead], calm[methodList]
			u.watch(false)
			u.conn().drop()
			u.v.Advance(5 * time.Minute)
			if len(u.replaced) != 1 {
				t.Errorf("replaced %q once nothing goes on", u.replaced)
			}
		})
	}
}

func TestWhatMovesBetweenTheTwoLooksPutsTheReplacementOff(t *testing.T) {
	t.Parallel()
	moves := map[string]func(u *upgrading){
		"another client starts a turn": func(u *upgrading) { u.conn().notify("turn/started", map[string]any{}) },
		"a message comes": func(u *upgrading) {
			u.v.Post(func() {
				u.c.Execute(track, start, transitions.Attempt{Number: 1}, func(transitions.Report) {})
			})
			u.v.Settle()
		},
		"a track waits": func(u *upgrading) { u.watch(true) },
	}
	for name, move := range moves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpgrading(t, "0.171.0")
			u.start()
			u.v.Advance(2 * time.Second)
			move(u)
			u.v.Advance(10 * time.Second)
			if len(u.replaced) != 0 || !u.c.Status().Connected {
				t.Errorf("replaced %q", u.replaced)
			}
		})
	}
}

// TestNothingIsSentWhileTheLastLookIsTaken: a text that was sent then would be in a turn
// of a server that is being ended.
func TestNothingIsSentWhileTheLastLookIsTaken(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "0.171.0")
	u.start()
	delete(u.d.auto, methodLoaded)
	u.v.Advance(5 * time.Second)
	u.execute(start)
	u.again(false)
	u.conn().refuse(methodLoaded, -32600, "no")
	if u.ready != 2 {
		t.Errorf("ready %d times; what was sent back has to be tried again", u.ready)
	}
	u.reports = nil
	u.execute(start)
	if !slices.Contains(u.conn().log, methodStart) {
		t.Error("nothing is sent after the look")
	}
}

func TestAServerThatCannotBeReplacedStaysAndIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "0.171.0")
	u.start()
	u.v.Advance(5 * time.Second)
	u.v.Post(func() { u.done(errors.New("codex: it was not started by a bridge")) })
	u.v.Advance(time.Hour)
	if len(u.replaced) != 1 || !u.c.Status().Connected || u.d.dials != 2 {
		t.Errorf("replaced %q after %d dials", u.replaced, u.d.dials)
	}
	const want = `level=WARN msg="the app-server could not be replaced; it stays" err="codex: it was not started by a bridge" otherwise="end the app-server that is running with ` + "`kill 4711`: the bridge starts a new one\""
	if said := u.warned(); len(said) != 2 || said[1] != want {
		t.Errorf("said %q", said)
	}
}

func TestOnlyANewerVersionTakesTheOldOnesPlace(t *testing.T) {
	t.Parallel()
	const running = "0.155.0"
	tests := map[string]struct {
		want comparison
		said int
	}{
		"0.155.0":         {comparisonSame, 0},
		"":                {comparisonSame, 0},
		"0.0.0":           {comparisonSame, 0},
		"next":            {comparisonSame, 0},
		"0.136.0":         {comparisonOlder, 1},
		"0.130.0":         {comparisonOlder, 1},
		"0.155.0-alpha.1": {comparisonOlder, 1},
		"0.155.1":         {comparisonNewer, 1},
	}
	for installed, test := range tests {
		if got := compareVersions(running, installed); got != test.want {
			t.Errorf("%q: %s, want %s", installed, got, test.want)
		}
		u := newUpgrading(t, installed)
		u.start()
		u.v.Advance(5 * time.Minute)
		if replaced := len(u.replaced) == 1; replaced != (test.want == comparisonNewer) || len(u.warned()) != test.said {
			t.Errorf("%q: replaced %v, said %q", installed, replaced, u.warned())
		}
	}
	if compareVersions("next", "0.171.0") != comparisonSame {
		t.Error("a server of no known version is to be replaced")
	}
}

func TestTheInstalledProgramIsLookedAtAsLongAsTheConnectionLasts(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "0.155.0")
	u.start()
	u.v.Advance(3*u.c.UpgradeLook + time.Second)
	if u.asked != 4 {
		t.Errorf("asked %d times", u.asked)
	}
	u.installed.Version = "0.171.0" // meanwhile
	u.v.Advance(u.c.UpgradeLook + 5*time.Second)
	if len(u.replaced) != 1 {
		t.Errorf("replaced %q", u.replaced)
	}
	u.v.Post(u.c.Stop)
	u.v.Advance(time.Hour)
	if u.asked != 5 {
		t.Errorf("asked %d times", u.asked)
	}
	u.v.Post(func() { u.done(nil) })
	u.v.Settle()
	if u.d.dials != 1 {
		t.Error("dialled after the stop")
	}
}

func TestAMissingAccountIsSaidOnceWhereOneIsNeeded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		loggedIn Answer
		account  any
		said     int
	}{
		{"needed", AnswerNo, map[string]any{"account": nil, "requiresOpenaiAuth": true}, 1},
		{"not needed", AnswerNo, map[string]any{"account": nil, "requiresOpenaiAuth": false}, 0},
		{"there, as the server knows", AnswerNo, map[string]any{"account": map[string]any{"type": "apiKey"}, "requiresOpenaiAuth": true}, 0},
		{"there", AnswerYes, map[string]any{"account": nil, "requiresOpenaiAuth": true}, 0},
		{"not known", AnswerUnknown, map[string]any{"account": nil, "requiresOpenaiAuth": true}, 0},
	}
	for _, test := range tests {
		u := newUpgrading(t, "0.155.0")
		u.installed.LoggedIn = test.loggedIn
		u.d.auto[methodAccount] = answers(test.account)
		u.start()
		u.v.Advance(10 * time.Minute)
		u.conn().drop()
		u.v.Advance(10 * time.Minute)
		if said := u.warned(); len(said) != test.said {
			t.Errorf("%s: said %q", test.name, said)
		}
	}
}

func TestWhatIsToBeSaidOfAVersionIsSaidOnce(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"0.171.0":         nil,
		"0.160.0":         {`level=WARN msg="the bridge is not tested with Codex 0.160.0, but with others between 0.136.0 and 0.171.0; it is used all the same"`},
		"0.172.0-alpha.1": {`level=WARN msg="Codex 0.172.0-alpha.1 is newer than what the bridge is tested with (up to 0.171.0); it is used all the same"`},
		"next":            {`level=WARN msg="Codex calls its version \"next\", which says nothing about what it can do; it is used all the same"`},
	}
	for version, want := range tests {
		u := newUpgrading(t, "")
		u.d.auto["initialize"] = answers(map[string]any{"userAgent": "deskbridge/" + version + " (x)"})
		u.start()
		u.v.Advance(time.Minute)
		u.conn().drop()
		u.v.Advance(time.Minute)
		if diff := cmp.Diff(want, u.warned()); diff != "" || !u.c.Status().Connected || u.c.Status().Verdict != VerdictOn(version) {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

// TestAProgramThatIsGoneIsSaidOnceWhileItsServerRuns: the next start would fail.
func TestAProgramThatIsGoneIsSaidOnceWhileItsServerRuns(t *testing.T) {
	t.Parallel()
	u := newUpgrading(t, "")
	gone := (&Server{Command: "codex"}).missing(nil)
	u.c.Installed = func(done func(Installed, error)) { u.v.Post(func() { done(Installed{}, gone) }) }
	u.start()
	u.v.Advance(10 * time.Minute)
	said := u.warned()
	if len(said) != 1 || !strings.Contains(said[0], "the Codex that runs goes on, but could not be started again") || !u.c.Status().Connected {
		t.Errorf("said %q", said)
	}
}
