package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
	"deskbridge/fsm/durable/durabletest"
	t "deskbridge/transitions"
)

// life is one life of the bridge: the ledger opened anew, a new engine, and
// nothing else that it remembers.
type life struct {
	*durabletest.Life
	tt     *testing.T
	world  *world
	ledger *Ledger
	clock  *sched.Virtual
	engine *durable.Engine[t.State, t.Data, t.Fact, t.Effect]
	state  t.State
	watch  t.Watch
	link   t.Link
	// lost are the facts that the calls left open by earlier lives must become,
	// by the id of the call.
	lost map[int64]t.Fact
}

// story is a world with a bridge that crashes in it.
type story struct {
	tt    *testing.T
	place *folder
	world *world
	now   time.Time
	lives int
	lost  map[int64]t.Fact
}

// live begins a life on what the last one left, and leads it until all is
// delivered, or until it crashes. It returns the points that it came to.
func (s *story) live(crashAt int) (reached []durable.Point, crashed bool) {
	s.lives++
	ledger := must[*Ledger](s.tt)(Open(s.tt.Context(), s.place.now))
	defer shut(s.tt, ledger)
	l := &life{
		Life: &durabletest.Life{EndsAt: crashAt, Dying: func() {
			if err := s.place.Crash(); err != nil {
				s.tt.Error(err)
			}
		}},
		tt: s.tt, world: s.world, ledger: ledger,
		clock: sched.NewVirtual(s.now), state: t.Idle,
		link: t.Link{Connection: fmt.Sprint("life ", s.lives)},
		lost: s.lost,
	}
	crashed = l.Lead(func() {
		l.start()
		l.lead()
	})
	s.now = l.clock.Now() // the world's clock goes on
	return l.Reached, crashed
}

func (l *life) start() {
	for _, tr := range must[[]Track](l.tt)(l.ledger.Tracks(l.tt.Context())) {
		l.state, l.watch = tr.State, tr.Data.Watch()
	}
	for _, q := range must[[]Queued](l.tt)(l.ledger.Outbox()) {
		if lost := t.Handle(q.Effect).IfLost; q.Leased && lost != nil {
			l.lost[q.ID] = lost
		}
	}
	l.engine = durable.New(durable.Options[t.State, t.Data, t.Fact, t.Effect]{
		Scheduler: l.clock,
		Store:     l.ledger,
		Machine:   t.Conversation(),
		Handle:    t.Handle,
		Executor:  durable.ExecutorFunc[t.Fact, t.Effect](l.execute),
		Hint:      func(string, t.Effect) {},
		Stepped:   func(e Entry) { l.state, l.watch = e.Result.State, e.Result.Data.Watch() },
		Backoff:   func(int) time.Duration { return time.Second },
		Trouble:   func(err error) { l.tt.Errorf("trouble: %v", err) },
		Reach:     l.Reach,
	})
	if err := l.engine.Start(); err != nil {
		l.tt.Fatal(err)
	}
}

func (l *life) execute(_ string, e t.Effect, _ durable.Attempt, done func(durable.Report[t.Fact])) {
	answer := l.world.perform(e)
	l.clock.Post(func() { done(t.Settled(answer)) })
}

// lead lets people write, Feishu deliver and the poller read until all is
// delivered and nothing is left to do.
func (l *life) lead() {
	for range 60 {
		l.deliverReceipts()
		l.clock.Settle()
		if l.over() {
			return
		}
		l.clock.Advance(2 * time.Second)
		if l.watch.Unsettled && l.watch.Thread != "" {
			for _, f := range l.world.read(l.watch.Thread, l.link, t.Millis(l.clock.Now().UnixMilli())) {
				l.engine.Submit(track, f, nil)
			}
		}
	}
	l.tt.Fatalf("nothing comes to an end: state %s, watch %+v, outbox %+v", l.state, l.watch, must[[]Queued](l.tt)(l.ledger.Outbox()))
}

func (l *life) over() bool {
	for _, r := range l.world.inbox {
		if !r.acked {
			return false
		}
	}
	return l.state == t.Delivered && !l.watch.Unsettled && len(must[[]Queued](l.tt)(l.ledger.Outbox())) == 0
}

func (l *life) deliverReceipts() {
	for _, r := range l.world.inbox {
		r.written = r.written || r.when(l.state)
		if r.written && !r.acked {
			l.engine.Submit(track, r.fact, func(err error) {
				if err != nil {
					l.tt.Errorf("a receipt is refused: %v", err)
				}
				r.acked = true
			})
		}
	}
}

// scenarios are what people write, and when.
var scenarios = map[string]func() []*receipt{
	"one message": func() []*receipt {
		return []*receipt{message("om_1", t.Idle)}
	},
	"a second message into the running turn": func() []*receipt {
		return []*receipt{message("om_1", t.Idle), message("om_2", t.Steerable)}
	},
	"a second message behind the first": func() []*receipt {
		return []*receipt{message("om_1", t.Idle), message("om_2", t.RecoveryPending, t.Idle)}
	},
}

func message(id string, when ...t.State) *receipt {
	return &receipt{
		fact: t.MessageReceived{Message: id, Sender: "ou_a", Text: "text of " + id, Created: 1},
		when: func(s t.State) bool { return slices.Contains(when, s) },
	}
}

// tell runs a scenario, crashing in each life at the given point, and checks
// what came of it. It returns the points that the first life came to.
func tell(tt *testing.T, like, scenario string, crashes ...int) []durable.Point {
	tt.Helper()
	s := &story{tt: tt, place: newFolder(tt, like), world: newWorld(scenarios[scenario]()), now: time.UnixMilli(1_000_000), lost: map[int64]t.Fact{}}
	var first []durable.Point
	for i, at := range append(crashes, 0) {
		reached, crashed := s.live(at)
		if i == 0 {
			first = reached
		}
		if !crashed {
			break
		}
	}
	s.check()
	return first
}

// check holds that nothing was lost and nothing doubled.
func (s *story) check() {
	s.tt.Helper()
	l := must[*Ledger](s.tt)(Open(s.tt.Context(), s.place.now))
	defer shut(s.tt, l)
	got := contents(s.tt, l)
	told := map[t.Fact]int{}
	happened := map[string]int{}
	for _, e := range got.Journal {
		happened[e.Fact.FactName()]++
		if lossOf(e.Fact) {
			told[e.Fact]++
		}
	}
	expected := map[t.Fact]int{}
	for _, f := range s.lost {
		expected[f]++
	}
	want(s.tt, "calls that became the fact of their loss", told, expected)
	want(s.tt, "messages received", happened["message_received"], len(s.world.inbox))
	want(s.tt, "outbox", len(got.Outbox), 0)
	s.checkMessages()
	s.checkOutcomes(happened)
	for _, table := range []struct{ name, state string }{{"message", "answered"}, {"delivery", "confirmed"}, {"turn", "completed"}} {
		for _, row := range got.Rows[table.name] {
			if !strings.Contains(row, " state="+table.state+" ") {
				s.tt.Errorf("%s %q, want it %s", table.name, row, table.state)
			}
		}
	}
	want(s.tt, "message rows", len(got.Rows["message"]), len(s.world.inbox))
}

// checkMessages: each is an item of one turn, and has its reaction at most once.
func (s *story) checkMessages() {
	s.tt.Helper()
	for _, r := range s.world.inbox {
		id := r.fact.(t.MessageReceived).Message
		items := 0
		for _, f := range s.world.turns {
			for _, m := range f.messages {
				if m == id {
					items++
				}
			}
		}
		want(s.tt, "items of "+id, items, 1)
		if n := s.world.receipts[id]; n > 1 {
			s.tt.Errorf("the reaction on %s was put %d times", id, n)
		}
	}
}

// checkOutcomes: each turn has one, and nothing else was said but that a message waits
// behind a start that a crash left without an answer.
func (s *story) checkOutcomes(happened map[string]int) {
	s.tt.Helper()
	var posted, outcomes []string
	notices := 0
	for _, p := range s.world.posts {
		if p.Body.Sentence == t.SaidUnknown && happened["turn_start_unknown"] > 0 {
			notices++
			continue
		}
		posted = append(posted, p.Body.Text)
	}
	for _, f := range s.world.turns {
		outcomes = append(outcomes, "reply of "+f.id)
	}
	want(s.tt, "chat", posted, outcomes)
	want(s.tt, "turns ended", happened["turn_ended"], len(outcomes))
	want(s.tt, "deliveries confirmed", happened["delivery_confirmed"], len(outcomes)+notices)
}

func lossOf(f t.Fact) bool {
	switch f := f.(type) {
	case t.TurnStartUnknown, t.SteerUnknown, t.InterruptUnknown:
		return true
	case t.EffectDropped:
		return f.Said != ""
	}
	return false
}

// TestACrashAnywhereLosesNothingAndDoublesNothing ends the bridge at each crash
// point of the engine that a conversation comes to, and begins it again on the same
// ledger.
func TestACrashAnywhereLosesNothingAndDoublesNothing(tt *testing.T) {
	tt.Parallel()
	empty := emptyLedger(tt)
	for scenario := range scenarios {
		tt.Run(scenario, func(tt *testing.T) {
			tt.Parallel()
			points := tell(tt, empty, scenario)
			for _, p := range durable.Points() {
				if !slices.Contains(points, p) {
					tt.Errorf("the conversation never comes to the point %q", p)
				}
			}
			for i, p := range points {
				tt.Run(fmt.Sprintf("%02d %s", i+1, p), func(tt *testing.T) {
					tt.Parallel()
					tell(tt, empty, scenario, i+1)
				})
			}
		})
	}
}

// TestACrashWhileRecoveringFromACrash crashes the second life too: at its very
// beginning, where it makes up for the first, and on its way.
func TestACrashWhileRecoveringFromACrash(tt *testing.T) {
	tt.Parallel()
	const scenario = "a second message into the running turn"
	empty := emptyLedger(tt)
	points := tell(tt, empty, scenario)
	for first := 1; first <= len(points); first += 4 {
		for _, second := range []int{2, 4, 7, 11} {
			tt.Run(fmt.Sprintf("%02d and %02d", first, second), func(tt *testing.T) {
				tt.Parallel()
				tell(tt, empty, scenario, first, second, 5)
			})
		}
	}
}
