package durable

import (
	"cmp"
	"slices"
)

// phase is where an effect of the outbox is, within one life of the engine.
type phase int

const (
	ready      phase = iota // waits for its lane
	underWay                // an executor has it
	backingOff              // waits before the next attempt
	settling                // its result waits for the journal
)

// job is an effect of the outbox.
type job[F, E any] struct {
	Queued[E]
	handling Handling[F]
	phase    phase
	// sent says that some attempt may have taken effect.
	sent bool
	// release says that the store is to be told that none did.
	release bool
	// wake ends the backoff; forget ends it without another attempt.
	wake, forget func()
}

// outbox mirrors the store's outbox in memory.
type outbox[F, E any] struct {
	jobs  map[int64]*job[F, E]
	lanes map[lane][]*job[F, E]
}

type lane struct{ instance, name string }

func newOutbox[F, E any]() *outbox[F, E] {
	return &outbox[F, E]{jobs: map[int64]*job[F, E]{}, lanes: map[lane][]*job[F, E]{}}
}

func (o *outbox[F, E]) add(q Queued[E], h Handling[F]) *job[F, E] {
	j := &job[F, E]{Queued: q, handling: h}
	o.jobs[q.ID] = j
	if h.Lane != "" {
		l := lane{q.Instance, h.Lane}
		o.lanes[l] = append(o.lanes[l], j)
	}
	return j
}

func (o *outbox[F, E]) remove(id int64) {
	j := o.jobs[id]
	delete(o.jobs, id)
	if j.phase == backingOff {
		j.forget()
	}
	l := lane{j.Instance, j.handling.Lane}
	if rest := slices.DeleteFunc(o.lanes[l], func(k *job[F, E]) bool { return k == j }); len(rest) > 0 {
		o.lanes[l] = rest
	} else {
		delete(o.lanes, l)
	}
}

// inOrder lists the jobs by id, which is the order in which they were emitted.
func (o *outbox[F, E]) inOrder() []*job[F, E] {
	all := make([]*job[F, E], 0, len(o.jobs))
	for _, j := range o.jobs {
		all = append(all, j)
	}
	slices.SortFunc(all, func(a, b *job[F, E]) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// first says that nothing in the job's lane is before it, those in gone apart.
func (o *outbox[F, E]) first(j *job[F, E], gone map[int64]bool) bool {
	if j.handling.Lane == "" {
		return true
	}
	for _, k := range o.lanes[lane{j.Instance, j.handling.Lane}] {
		if k == j {
			return true
		}
		if !gone[k.ID] {
			return false
		}
	}
	return true
}

// empty says that nothing is in the lane, what is in gone apart.
func (o *outbox[F, E]) empty(l lane, gone map[int64]bool) bool {
	return !slices.ContainsFunc(o.lanes[l], func(j *job[F, E]) bool { return !gone[j.ID] })
}

// busy counts the attempts without a result in the journal.
func (o *outbox[F, E]) busy() int {
	n := 0
	for _, j := range o.jobs {
		if j.phase == underWay || j.phase == settling {
			n++
		}
	}
	return n
}
