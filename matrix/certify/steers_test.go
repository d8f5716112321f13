package certify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"deskbridge/adapters/sandbox/model"
	"deskbridge/adapters/sandbox/model/modeltest"
)

// BenchmarkSteersAroundTheEnd steers each of so many turns (-benchtime 200x) at a
// moment between 50 ms before its normal end and 50 ms after it, and as many
// others at the very moment from which on steers are refused, which is found by
// going later after an accepted one and earlier after a refused one. It tells
// where the texts end up. A turn's normal end is when turn/completed arrives for
// one that nobody steers: that long after the model's answer was let go, by the
// median of some turns before. docs/codex.md holds what was seen.
//
// Every steered turn is followed by another one, so that a text which is kept for
// later has somewhere to go.
func BenchmarkSteersAroundTheEnd(b *testing.B) {
	for _, version := range chosen() {
		b.Run(version, func(b *testing.B) {
			r := newRange(b, version)
			usual := r.usualEnd(15)
			var spread, aimed []shot
			var border time.Duration
			for b.Loop() {
				spread = append(spread, r.shoot(len(spread)+len(aimed), usual, evenly(len(spread))))
				s := r.shoot(len(spread)+len(aimed), usual, border)
				if border -= step; s.accepted {
					border += 2 * step
				}
				aimed = append(aimed, s)
			}
			b.ReportMetric(millis(usual), "usual-end-ms")
			b.ReportMetric(millis(border), "border-ms")
			report(b, "spread evenly", spread)
			report(b, "aimed at the border", aimed)
		})
	}
}

const (
	// around bounds how far from the usual end a steer is sent.
	around = 50 * time.Millisecond
	// step is by how much the aim at the border moves.
	step = time.Millisecond
	// ahead is the time between the plan of a shot and the model's answer, so that
	// the steer can come before that.
	ahead = 2 * around
	// perThread is how many shots a thread takes before the next one is opened.
	perThread = 20
)

// shot is one steer and what became of it.
type shot struct {
	offset   time.Duration // from the usual end to the sending
	accepted bool
	said     string        // of a refusal
	where    whereabouts   // of an accepted text
	after    time.Duration // from the turn/completed of a turn that ended to the item; negative: before it
	delay    time.Duration // from the answer to the item's event
	heard    string        // see [shootingRange.heard]
}

// evenly spreads any number of shots: it goes on by the golden ratio each time.
func evenly(n int) time.Duration {
	_, at := math.Modf(float64(n) * math.Phi)
	return time.Duration((2*at - 1) * float64(around))
}

type whereabouts string

const (
	inTurn  whereabouts = "in its turn, told before the turn's end"
	inAfter whereabouts = "in its turn, told after the turn's end"
	inList  whereabouts = "in its turn, in the list only"
	inNext  whereabouts = "in a later turn"
	nowhere whereabouts = "nowhere"
)

// shootingRange is a real Codex whose model waits for a gate of each text.
type shootingRange struct {
	b      *testing.B
	codex  *modeltest.Codex
	client *modeltest.Client
	thread string
	shots  int

	mu    sync.Mutex
	gates map[string]*model.Gate
}

func newRange(b *testing.B, version string) *shootingRange {
	r := &shootingRange{b: b, gates: map[string]*model.Gate{}}
	r.codex = modeltest.Run(b, program(b, version), func(q model.Request) model.Reply {
		for i := len(q.Texts) - 1; i >= 0; i-- {
			if gate := r.gate(q.Texts[i]); gate != nil {
				return model.Echo(q).Held(gate)
			}
		}
		return model.Echo(q)
	})
	r.client = modeltest.Hello(b, r.codex.Socket)
	return r
}

// gate is that of a text, if it has one.
func (r *shootingRange) gate(text string) *model.Gate {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gates[text]
}

// held gives a text a gate.
func (r *shootingRange) held(text string) *model.Gate {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gates[text] = model.NewGate()
	return r.gates[text]
}

// renew opens a thread of its own for every so many shots: what is listed stays short.
func (r *shootingRange) renew() {
	if r.shots%perThread == 0 {
		r.client.Close()
		r.client = modeltest.Hello(r.b, r.codex.Socket)
		var opened struct{ Thread struct{ ID string } }
		r.client.Call("thread/start", map[string]any{"cwd": r.codex.Work}).Decode(r.b, &opened)
		r.thread = opened.Thread.ID
	}
	r.shots++
}

func (r *shootingRange) start(text string) (turn string) {
	var started struct{ Turn struct{ ID string } }
	r.client.Call("turn/start", map[string]any{
		"threadId": r.thread, "clientUserMessageId": text, "input": textInput(text),
	}).Decode(r.b, &started)
	return started.Turn.ID
}

// begun starts a turn and waits until the model is asked.
func (r *shootingRange) begun(text string) (turn string) {
	turn = r.start(text)
	_, err := r.codex.Model.Await(r.b.Context(), func(all []model.Record) bool {
		return slices.ContainsFunc(all, func(q model.Record) bool { return q.LastText() == text })
	})
	if err != nil {
		r.b.Fatal(err)
	}
	return turn
}

func (r *shootingRange) ended(turn string) time.Time {
	return r.client.Await("the turn's end", func(f modeltest.Frame) bool {
		return f.Method == "turn/completed" && f.Params != nil && strings.Contains(string(f.Params), `"id":"`+turn+`"`)
	}).At
}

// usualEnd is how long after the model's answer a turn is told to be over.
func (r *shootingRange) usualEnd(turns int) time.Duration {
	var took []time.Duration
	for i := range turns {
		r.renew()
		text := fmt.Sprint("unsteered ", i)
		gate := r.held(text)
		turn := r.begun(text)
		at := time.Now()
		gate.Open()
		took = append(took, r.ended(turn).Sub(at))
	}
	r.shots = 0
	slices.Sort(took)
	return took[len(took)/2]
}

func (r *shootingRange) shoot(n int, usual, offset time.Duration) shot {
	r.renew()
	text, steer, next := fmt.Sprint("turn ", n), fmt.Sprint("steer ", n), fmt.Sprint("next ", n)
	gate := r.held(text)
	turn := r.begun(text)
	opens := time.Now().Add(ahead)
	opener := time.AfterFunc(ahead, gate.Open)
	defer opener.Stop()
	time.Sleep(time.Until(opens.Add(usual + offset)))
	answer := r.client.Call("turn/steer", map[string]any{
		"threadId": r.thread, "expectedTurnId": turn, "clientUserMessageId": steer, "input": textInput(steer),
	})
	s := shot{offset: offset, accepted: answer.Error == nil}
	ended := r.ended(turn)
	later := r.start(next)
	r.ended(later)
	if !s.accepted {
		s.said = answer.Error.Message
		return s
	}
	listed := r.listed(steer)
	told, at := r.told(steer)
	s.delay, s.after = at.Sub(answer.At), at.Sub(ended)
	switch {
	case listed == "" && told == "":
		s.where = nowhere
	case listed == turn && told == "":
		s.where = inList
	case listed == turn && told == turn && at.Before(ended):
		s.where = inTurn
	case listed == turn && told == turn:
		s.where = inAfter
	case listed == later:
		s.where = inNext
	default:
		s.where = whereabouts(fmt.Sprintf("told in %q, listed in %q, the turn being %q and the next %q", told, listed, turn, later))
	}
	s.heard = r.heard(steer, next)
	return s
}

// heard tells in which turn the model was asked with the text first.
func (r *shootingRange) heard(steer, next string) string {
	for _, q := range r.codex.Model.Records() {
		switch {
		case !slices.Contains(q.Texts, steer):
		case slices.Contains(q.Texts, next):
			return "the next turn"
		default:
			return "its turn"
		}
	}
	return "none"
}

// told is the turn in which the text was told live to be an item, and when.
func (r *shootingRange) told(text string) (turn string, at time.Time) {
	for _, f := range r.client.Frames() {
		if f.Method != "item/started" && f.Method != "item/completed" || !strings.Contains(string(f.Params), `"clientId":"`+text+`"`) {
			continue
		}
		var p struct{ TurnID string }
		f.Decode(r.b, &p)
		return p.TurnID, f.At
	}
	return "", time.Time{}
}

// listed is the turn that has the text as an item.
func (r *shootingRange) listed(text string) string {
	var page struct {
		Data []struct {
			ID    string
			Items []struct{ ClientID string }
		}
	}
	r.client.Call("thread/turns/list", map[string]any{"threadId": r.thread, "limit": 4, "itemsView": "full"}).Decode(r.b, &page)
	for _, t := range page.Data {
		for _, i := range t.Items {
			if i.ClientID == text {
				return t.ID
			}
		}
	}
	return ""
}

func textInput(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// report prints the shots by what became of them, with the least, the median and
// the most of each time.
func report(b *testing.B, how string, all []shot) {
	kinds := map[string][]shot{}
	for _, s := range all {
		kind := "refused: " + s.said
		if s.accepted {
			kind = fmt.Sprintf("accepted: %s; the model has it in: %s", s.where, s.heard)
		}
		kinds[kind] = append(kinds[kind], s)
	}
	var lines []string
	for kind, shots := range kinds {
		offsets, delays, after := span(shots, func(s shot) time.Duration { return s.offset }), "", ""
		if shots[0].accepted {
			delays = "; item after the answer " + span(shots, func(s shot) time.Duration { return s.delay })
			after = "; item after the turn's end " + span(shots, func(s shot) time.Duration { return s.after })
		}
		lines = append(lines, fmt.Sprintf("%4d %s\n     sent around the usual end: %s%s%s", len(shots), kind, offsets, delays, after))
	}
	slices.Sort(lines)
	// Not by the benchmark's log, which is cut off after ten lines.
	fmt.Printf("%s: %d steers, %s\n%s\n", b.Name(), len(all), how, strings.Join(lines, "\n"))
}

// span is the least, the median and the most of the shots' times.
func span(shots []shot, of func(shot) time.Duration) string {
	var all []time.Duration
	for _, s := range shots {
		all = append(all, of(s))
	}
	slices.SortFunc(all, cmp.Compare[time.Duration])
	return fmt.Sprintf("%.1f / %.1f / %.1f ms", millis(all[0]), millis(all[len(all)/2]), millis(all[len(all)-1]))
}
