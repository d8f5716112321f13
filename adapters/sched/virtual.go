package sched

import (
	"container/heap"
	"time"
)

// Virtual is a scheduler whose time stands still until somebody moves it. It
// starts no goroutine and must be used from one only.
type Virtual struct {
	now    time.Time
	queue  []func()
	timers timerHeap
	serial int
}

var _ Scheduler = (*Virtual)(nil)

// NewVirtual returns a scheduler at the given time.
func NewVirtual(start time.Time) *Virtual { return &Virtual{now: start} }

// Now is the virtual time.
func (v *Virtual) Now() time.Time { return v.now }

// Post queues f for the next Settle, Advance or Run.
func (v *Virtual) Post(f func()) { v.queue = append(v.queue, f) }

// After queues f for the moment d from now. Timers of the same moment run in
// the order in which they were set.
func (v *Virtual) After(d time.Duration, f func()) (stop func()) {
	v.serial++
	t := &timer{at: v.now.Add(max(d, 0)), serial: v.serial, f: f}
	heap.Push(&v.timers, t)
	return func() { t.f = nil }
}

// Settle runs all that is due now, and what that posts, without moving time.
func (v *Virtual) Settle() {
	for {
		if len(v.queue) > 0 {
			f := v.queue[0]
			v.queue = v.queue[1:]
			f()
			continue
		}
		next, ok := v.Next()
		if !ok || next.After(v.now) {
			return
		}
		t := heap.Pop(&v.timers).(*timer)
		t.f()
	}
}

// Advance moves time on by d, running on the way all that falls due, each at
// its own moment.
func (v *Virtual) Advance(d time.Duration) {
	end := v.now.Add(d)
	v.Settle()
	for {
		next, ok := v.Next()
		if !ok || next.After(end) {
			break
		}
		v.now = next
		v.Settle()
	}
	v.now = end
	v.Settle()
}

// AdvanceUntil moves time from event to event until done says so or limit has
// passed; it reports whether done did.
func (v *Virtual) AdvanceUntil(limit time.Duration, done func() bool) bool {
	end := v.now.Add(limit)
	v.Settle()
	for !done() {
		next, ok := v.Next()
		if !ok || next.After(end) {
			v.now = end
			return false
		}
		v.now = next
		v.Settle()
	}
	return true
}

// Next is the moment of the next timer, if there is one.
func (v *Virtual) Next() (time.Time, bool) {
	for len(v.timers) > 0 && v.timers[0].f == nil {
		heap.Pop(&v.timers)
	}
	if len(v.timers) == 0 {
		return time.Time{}, false
	}
	return v.timers[0].at, true
}

type timer struct {
	at     time.Time
	serial int
	f      func()
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].serial < h[j].serial
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(*timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return t
}
