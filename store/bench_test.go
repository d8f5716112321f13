package store

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"deskbridge/adapters/sched"
	"deskbridge/fsm/durable"
	"deskbridge/fsm/floor"
	t "deskbridge/transitions"
)

// BenchmarkDurableStep is what a message costs until it may be acknowledged:
// journalled, stepped, its track, row and calls stored, committed to the disk,
// where so many conversations wait together. In turns with it are measured what
// the disk alone takes, and what the same statements take without the engine and
// the machine. Compare the ratios, since disks differ and have moods:
//
//	p50/floor         median of a commit to the floor's median
//	facts/floor       facts a second to syncs a second
//	facts/statements  facts a second to those of the statements alone
func BenchmarkDurableStep(b *testing.B) {
	for _, facts := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("facts=%d", facts), func(b *testing.B) {
			clock := sched.NewVirtual(time.UnixMilli(1_000_000))
			engine := benchEngine(b, clock)
			bare := open(b, b.TempDir())
			sync := floor.Sync(b)
			var steps, statements, syncs floor.Times
			tracks, acks := 0, 0
			for b.Loop() {
				var waiting []prepared
				for range facts {
					tracks++
					waiting = append(waiting, prepare(b, tracks))
				}
				submit := func() {
					for _, p := range waiting {
						engine.Submit(p.entry.Instance, p.entry.Fact, func(err error) {
							if err != nil {
								b.Error(err)
							}
							acks++
						})
					}
					clock.Settle()
				}
				// One after the other has a disk in another mood, so they take turns.
				if tracks/facts%2 == 0 {
					steps = append(steps, floor.Took(submit))
				}
				statements = append(statements, floor.Took(func() { writeSteps(b, bare, waiting) }))
				if tracks/facts%2 == 1 {
					steps = append(steps, floor.Took(submit))
				}
				syncs = append(syncs, floor.Took(sync))
			}
			if acks != tracks {
				b.Fatalf("%d of %d messages are acknowledged", acks, tracks)
			}
			b.ReportMetric(float64(steps.Sum().Nanoseconds())/float64(len(steps)), "ns/op")
			b.ReportMetric(float64(steps.Median())/float64(syncs.Median()), "p50/floor")
			b.ReportMetric(float64(facts)*float64(syncs.Sum())/float64(steps.Sum()), "facts/floor")
			b.ReportMetric(float64(statements.Sum())/float64(steps.Sum()), "facts/statements")
		})
	}
}

// prepared is a step as the engine writes it, made beforehand.
type prepared struct {
	entry   Entry
	records []t.Effect
	calls   []Queued
}

// prepare steps a new conversation on its first message.
func prepare(b *testing.B, n int) (p prepared) {
	b.Helper()
	track, at := fmt.Sprintf("oc_%d/1", n), time.UnixMilli(1_000_000)
	f := t.MessageReceived{Message: fmt.Sprint("om_", n), Sender: "ou_a", Text: "what is new?", Created: 1}
	res, err := t.Conversation().Step(t.Idle, t.Data{Track: track}, f)
	if err != nil {
		b.Fatal(err)
	}
	p.entry = Entry{Instance: track, Fact: f, Key: f.FactKey(), At: at, From: t.Idle, Result: res, Steps: 1}
	for _, e := range res.Effects {
		if t.Handle(e).Record {
			p.records = append(p.records, e)
		} else {
			p.calls = append(p.calls, Queued{Instance: track, Effect: e, Step: 1, Leased: true, Attempt: durable.Attempt{Number: 1, First: at}})
		}
	}
	return p
}

// writeSteps makes the engine's calls of the store, in one transaction.
func writeSteps(b *testing.B, l *Ledger, steps []prepared) {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	tx, err := l.Begin()
	must(err)
	for _, p := range steps {
		_, err := tx.Seen(p.entry.Key)
		must(err)
		_, err = tx.Load(p.entry.Instance)
		must(err)
		must(tx.Append(p.entry, p.records))
	}
	for _, p := range steps {
		for _, q := range p.calls {
			_, err := tx.Enqueue(q)
			must(err)
		}
	}
	must(tx.Commit())
}

// benchEngine is an engine over a ledger whose calls are begun and never end.
func benchEngine(b *testing.B, clock *sched.Virtual) *durable.Engine[t.State, t.Data, t.Fact, t.Effect] {
	b.Helper()
	e := durable.New(durable.Options[t.State, t.Data, t.Fact, t.Effect]{
		Scheduler: clock,
		Store:     open(b, b.TempDir()),
		Machine:   t.Conversation(),
		Handle:    t.Handle,
		Executor:  durable.ExecutorFunc[t.Fact, t.Effect](func(string, t.Effect, durable.Attempt, func(durable.Report[t.Fact])) {}),
		Hint:      func(string, t.Effect) {},
		Stepped:   func(Entry) {},
		Backoff:   func(int) time.Duration { return time.Second },
		Trouble:   func(err error) { b.Error(err) },
	})
	if err := e.Start(); err != nil {
		b.Fatal(err)
	}
	return e
}

// BenchmarkResident is the memory of 100,000 conversations whose tracks the engine
// holds, as it holds them once the ledger has given them: their data, and no machine
// of their own. "at rest" has had one message answered, "in a turn" has one in a turn.
func BenchmarkResident(b *testing.B) {
	const conversations = 100_000
	rest := []t.Fact{
		t.MessageReceived{Message: "om_1", Sender: "ou_a", Text: "what is new?", Created: 1},
		t.ThreadOpened{Thread: "01a23196-1e54-7c21-9319-51c23a9ed42e"},
		t.TurnStartAccepted{Message: "om_1", Turn: "01a23196-2e27-7ab0-9913-9a38d069d562"},
		t.TurnRunning{Turn: "01a23196-2e27-7ab0-9913-9a38d069d562", Messages: []string{"om_1"}},
		t.TurnEnded{Turn: "01a23196-2e27-7ab0-9913-9a38d069d562", Status: t.EndCompleted, Messages: []string{"om_1"}, Reply: "nothing much"},
		t.DeliveryConfirmed{Delivery: "outcome:01a23196-2e27-7ab0-9913-9a38d069d562", Shown: "om_2"},
	}
	for _, c := range []struct {
		name  string
		facts []t.Fact
	}{{"at_rest", rest}, {"in_a_turn", rest[:4]}} {
		b.Run(c.name, func(b *testing.B) {
			s := Snapshot{State: t.Idle, Data: t.Data{Track: "oc_1/1"}}
			for _, f := range c.facts {
				res, err := t.Conversation().Step(s.State, s.Data, f)
				if err != nil {
					b.Fatal(err)
				}
				s = Snapshot{State: res.State, Data: res.Data, Steps: s.Steps + 1}
			}
			stored, err := json.Marshal(s.Data)
			if err != nil {
				b.Fatal(err)
			}
			var bytes uint64
			for b.Loop() {
				before := heap()
				resident := map[string]Snapshot{}
				for i := range conversations {
					loaded := s
					loaded.Data = t.Data{}
					if err := json.Unmarshal(stored, &loaded.Data); err != nil {
						b.Fatal(err)
					}
					resident[fmt.Sprintf("oc_%d/1", i)] = loaded
				}
				bytes = heap() - before
				runtime.KeepAlive(resident)
			}
			b.ReportMetric(float64(bytes)/conversations, "B/conversation")
			b.ReportMetric(float64(bytes)/(1<<20), "MB")
		})
	}
}

// heap is what is alive of it.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
