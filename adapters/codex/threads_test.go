package codex

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"deskbridge/transitions"

	"github.com/google/go-cmp/cmp"
)

func stored(id, cwd string, updated, recency int64) map[string]any {
	return map[string]any{"id": id, "preview": "about " + id, "cwd": cwd, "updatedAt": updated, "recencyAt": recency}
}

// atDesk is a client whose desk is /desk and /other.
func atDesk(o *Options) { o.Workdir, o.Roots = "/desk", []string{"/other"} }

// TestThreadsAreListedByTheirLastUse: pages are gone through until there are enough of
// the desk's, each once; one that was only resumed does not move up.
func TestThreadsAreListedByTheirLastUse(t *testing.T) {
	t.Parallel()
	e := connected(t, atDesk, func(o *Options) {
		o.Held = func(track, thread string) transitions.Unavailable {
			return map[string]transitions.Unavailable{"b": transitions.TakenElsewhere, "c": transitions.StillEnding}[thread]
		}
	})
	var asked []string
	e.d.auto[methodThreads] = func(params json.RawMessage) (any, *refuse) {
		asked = append(asked, string(params))
		if len(asked) == 1 {
			return map[string]any{"nextCursor": "more", "data": []any{
				stored("a", "/desk", 900, 400), stored("x", "/desks", 800, 800), stored("b", "/desk/below", 700, 0), "no thread",
			}}, nil
		}
		return map[string]any{"data": []any{stored("b", "/desk/below", 700, 0), stored("c", "/other", 600, 600), stored("y", "/", 500, 500)}}, nil
	}
	e.execute(transitions.ListThreads{Message: "om_1"})
	e.settled(transitions.ThreadsListed{Message: "om_1", At: 1_000_000, Threads: []transitions.DeskThread{
		{Thread: "b", Title: "about b", Used: 700_000, Taken: true}, {Thread: "c", Title: "about c", Used: 600_000}, {Thread: "a", Title: "about a", Used: 400_000},
	}})
	want := []string{
		`{"limit":50,"sortKey":"updated_at","sourceKinds":["cli","vscode","exec","appServer"]}`,
		`{"limit":50,"sortKey":"updated_at","sourceKinds":["cli","vscode","exec","appServer"],"cursor":"more"}`,
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

func TestNoMoreThreadsAreListedThanCanBeRead(t *testing.T) {
	t.Parallel()
	e := connected(t, atDesk)
	var all []any
	for i := range 12 {
		all = append(all, stored(fmt.Sprint(i), "/desk", int64(900-i), 0))
	}
	e.d.auto[methodThreads] = answers(map[string]any{"data": all, "nextCursor": "more"})
	e.execute(transitions.ListThreads{Message: "om_1"})
	if listed := e.report().Facts[0].(transitions.ThreadsListed).Threads; len(listed) != 10 || listed[9].Thread != "9" {
		t.Errorf("%+v", listed)
	}
}

// TestWhatCannotBeHadIsTold: a refusal at once, what passes after about a minute.
func TestWhatCannotBeHadIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		react reaction
		tries int
		list  transitions.Fact
		bind  transitions.Fact
	}{
		"refused": {refuses(-32600, "session is archived"), 1,
			transitions.ThreadsUnlisted{Message: "om_1", Why: transitions.ServerRefused, Said: "session is archived"},
			transitions.ThreadUnavailable{Message: "om_1", Why: transitions.ServerRefused, Said: "session is archived"}},
		"gone": {refuses(-32600, "no rollout found for thread id x"), 1,
			transitions.ThreadsUnlisted{Message: "om_1", Why: transitions.NotStored},
			transitions.ThreadUnavailable{Message: "om_1", Why: transitions.NotStored}},
		"overloaded": {refuses(codeOverloaded, "later"), threadTries,
			transitions.ThreadsUnlisted{Message: "om_1", Why: transitions.ServerUnreached},
			transitions.ThreadUnavailable{Message: "om_1", Why: transitions.ServerUnreached}},
		"unreadable": {answers("no list"), 1,
			transitions.ThreadsUnlisted{Message: "om_1", Why: transitions.ServerRefused, Said: "its list cannot be read"},
			transitions.ThreadFound{Message: "om_1", Thread: thread1}},
		"archived": {refuses(-32600, "session x is archived. Run `codex unarchive x` to unarchive it first."), 1,
			transitions.ThreadsUnlisted{Message: "om_1", Why: transitions.NotStored},
			transitions.ThreadUnavailable{Message: "om_1", Why: transitions.NotStored}},
		"held": {refuses(-32600, "thread x already has an active writer"), 1,
			transitions.ThreadsUnlisted{Message: "om_1", Why: transitions.StillEnding},
			transitions.ThreadUnavailable{Message: "om_1", Why: transitions.StillEnding}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, of := range []struct {
				effect transitions.Effect
				want   transitions.Fact
			}{{transitions.ListThreads{Message: "om_1"}, c.list}, {transitions.BindThread{Message: "om_1", Thread: thread1}, c.bind}} {
				e := connected(t, atDesk)
				e.d.auto[methodThreads], e.d.auto[methodResume], e.d.auto[methodOpen] = c.react, c.react, answers(threadIs("idle"))
				for try := 1; try <= c.tries; try++ {
					e.reports = nil
					e.v.Post(func() {
						e.c.Execute(track, of.effect, transitions.Attempt{Number: try}, func(r transitions.Report) { e.reports = append(e.reports, r) })
					})
					e.v.Settle()
					if try < c.tries {
						e.again(false)
					}
				}
				e.settled(of.want)
			}
		})
	}
}

func TestWithoutAConnectionACommandWaitsAboutAMinute(t *testing.T) {
	t.Parallel()
	for _, of := range []struct{ effect, want any }{
		{transitions.ListThreads{Message: "om_1"}, transitions.ThreadsUnlisted{Message: "om_1", Why: transitions.ServerUnreached}},
		{transitions.BindThread{Message: "om_1", Thread: thread1}, transitions.ThreadUnavailable{Message: "om_1", Why: transitions.ServerUnreached}},
	} {
		e := newDesk(t, atDesk)
		for _, number := range []int{1, threadTries} {
			e.reports = nil
			e.v.Post(func() {
				e.c.Execute(track, of.effect.(transitions.Effect), transitions.Attempt{Number: number}, func(r transitions.Report) { e.reports = append(e.reports, r) })
			})
			e.v.Settle()
			if number == 1 {
				e.again(false)
			}
		}
		e.settled(of.want.(transitions.Fact))
	}
}

// TestAThreadThatIsHeldIsNotAskedFor: Codex need not be asked.
func TestAThreadThatIsHeldIsNotAskedFor(t *testing.T) {
	t.Parallel()
	e := connected(t, func(o *Options) {
		o.Held = func(string, string) transitions.Unavailable { return transitions.StillEnding }
	})
	before := len(e.conn().log)
	e.execute(transitions.BindThread{Message: "om_1", Thread: thread1})
	e.settled(transitions.ThreadUnavailable{Message: "om_1", Why: transitions.StillEnding})
	if calls := e.conn().log[before:]; len(calls) > 0 {
		t.Errorf("Codex was asked: %q", calls)
	}
}

// TestATrackThatLeftAThreadDoesNotTakeItBack: a former track of the thread still hears
// of deliveries, and was taken for the one to be told of turns.
func TestATrackThatLeftAThreadDoesNotTakeItBack(t *testing.T) {
	t.Parallel()
	e := connected(t)
	e.v.Post(func() {
		e.c.thread(track, thread1)
		e.c.Watch("track-0", transitions.Watch{Thread: thread1})
	})
	e.v.Settle()
	if of := e.c.threads[thread1].track; of != track {
		t.Errorf("the thread is read for %s", of)
	}
}

func TestATitleIsOneShortLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		" \n\t":                         "",
		"Repair\n  the login\tpage\x00": "Repair the login page",
		strings.Repeat("长", 40):         strings.Repeat("长", 40),
		strings.Repeat("长", 41):         strings.Repeat("长", 40) + "…",
		strings.Repeat("a", 39) + " b":  strings.Repeat("a", 39) + "…",
		"a\u202eb":                      "a b",
	} {
		if got := titleOf(text); got != want {
			t.Errorf("%q is called %q, want %q", text, got, want)
		}
	}
}

// TestAThreadThatMayDoMoreThanANewOneIsNotBound compares what the thread runs under with
// what a new one would.
func TestAThreadThatMayDoMoreThanANewOneIsNotBound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		there, usual transitions.Policy
		want         transitions.Fact
	}{
		"it may do more":     {never, asks, transitions.ThreadUnavailable{Message: "om_1", Why: transitions.LooserThere}},
		"it may do the same": {asks, asks, transitions.ThreadFound{Message: "om_1", Thread: thread1}},
		"it may do less":     {asks, never, transitions.ThreadFound{Message: "om_1", Thread: thread1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := connected(t, atDesk)
			e.d.auto[methodResume], e.d.auto[methodOpen] = under(c.there), under(c.usual)
			e.execute(transitions.BindThread{Message: "om_1", Thread: thread1})
			e.settled(c.want)
		})
	}
}
