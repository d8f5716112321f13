package durable

import (
	"cmp"
	"maps"
	"slices"
)

// phase is where an effect of the outbox is, within one life of the engine.
type phase int

const (
	ready      phase = iota // waits for its lane
	underWay                // an executor has it
	backingOff              // waits before the next attempt
	settling                // its result waits for the journal
	stranded                // its result cannot be journalled, see [ErrUnfit]
)

// job is an effect of the outbox.
type job[F, E any] struct {
	Queued[E]
	handling Handling[F]
	phase    phase
	// sent says that some attempt may have taken effect.
	sent bool
	// recalled says that what can be withdrawn was to be, during an attempt: if
	// that has no effect, there is no other.
	recalled bool
	// forget ends the backoff without another attempt.
	forget func()
}

func (j *job[F, E]) lane() lane { return lane{j.Instance, j.handling.Lane} }

// withdrawable says that the job may still be taken out of the outbox.
func (j *job[F, E]) withdrawable() bool {
	return any(j.handling.IfWithdrawn) != nil && !j.sent && j.Attempt.Done == 0 && (j.phase == ready || j.phase == backingOff)
}

// untouched says that nothing of the job has taken effect, in view of how its last
// attempt went.
func (j *job[F, E]) untouched(again Again) bool {
	return j.Attempt.Done == 0 && (again.Absent || !j.sent && !again.Sent)
}

// lane is the queue that a job stands in; without a name it is none.
type lane struct{ instance, name string }

// outbox mirrors the store's outbox in memory. Its sets are kept up to date, so
// that a commit costs what it changes, however many effects wait.
type outbox[F, E any] struct {
	jobs map[int64]*job[F, E]
	// instances and lanes hold their jobs in the order of their ids, which is
	// the order in which they were emitted.
	instances map[string][]*job[F, E]
	lanes     map[lane][]*job[F, E]
	// due are ready, and nothing in their lane is before them.
	due map[int64]*job[F, E]
	// unreleased are leased in the store, though no attempt has taken effect.
	unreleased map[int64]*job[F, E]
}

func newOutbox[F, E any]() *outbox[F, E] {
	return &outbox[F, E]{
		jobs:       map[int64]*job[F, E]{},
		instances:  map[string][]*job[F, E]{},
		lanes:      map[lane][]*job[F, E]{},
		due:        map[int64]*job[F, E]{},
		unreleased: map[int64]*job[F, E]{},
	}
}

// add takes in a job, the newest of its instance.
func (o *outbox[F, E]) add(j *job[F, E]) {
	o.jobs[j.ID] = j
	o.instances[j.Instance] = append(o.instances[j.Instance], j)
	if l := j.lane(); l.name != "" {
		o.lanes[l] = append(o.lanes[l], j)
	}
	o.move(j, j.phase)
}

// move puts a job into another phase.
func (o *outbox[F, E]) move(j *job[F, E], to phase) {
	j.phase = to
	if to == ready && (j.handling.Lane == "" || o.head(j.lane(), nil) == j) {
		o.due[j.ID] = j
	} else {
		delete(o.due, j.ID)
	}
}

// remove takes a settled job out. Whatever moves up in its lane begins with the
// commit that settled it, see begins.
func (o *outbox[F, E]) remove(id int64) {
	j := o.jobs[id]
	if j.phase == backingOff {
		j.forget()
	}
	delete(o.jobs, id)
	delete(o.due, id)
	delete(o.unreleased, id)
	cut(o.instances, j.Instance, j)
	cut(o.lanes, j.lane(), j)
}

// cut takes one job out of a list, and the list away with its last.
func cut[K comparable, F, E any](lists map[K][]*job[F, E], key K, j *job[F, E]) {
	list := lists[key]
	if i := slices.Index(list, j); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	if len(list) == 0 {
		delete(lists, key)
		return
	}
	lists[key] = list
}

// head is the first job of a lane, those in gone apart; nil: there is none.
func (o *outbox[F, E]) head(l lane, gone map[int64]bool) *job[F, E] {
	for _, j := range o.lanes[l] {
		if !gone[j.ID] {
			return j
		}
	}
	return nil
}

// begins lists the jobs whose attempt may begin once those in gone are removed.
func (o *outbox[F, E]) begins(gone map[int64]bool) []*job[F, E] {
	found := map[int64]*job[F, E]{}
	for id, j := range o.due {
		if !gone[id] {
			found[id] = j
		}
	}
	seen := map[lane]bool{}
	for id := range gone {
		l := o.jobs[id].lane()
		if seen[l] {
			continue
		}
		seen[l] = true
		if next := o.head(l, gone); next != nil && next.phase == ready {
			found[next.ID] = next
		}
	}
	return inOrder(found)
}

// busy says that some attempt has no result in the journal.
func (o *outbox[F, E]) busy() bool {
	for _, j := range o.jobs {
		if j.phase == underWay || j.phase == settling {
			return true
		}
	}
	return false
}

// inOrder lists jobs by id.
func inOrder[F, E any](jobs map[int64]*job[F, E]) []*job[F, E] {
	return slices.SortedFunc(maps.Values(jobs), func(a, b *job[F, E]) int { return cmp.Compare(a.ID, b.ID) })
}
