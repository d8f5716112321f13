package transitions

import (
	"maps"
	"slices"
)

// elsewhere is a thread that another client began.
const elsewhere = "thread_elsewhere"

// listThreads lets a person ask which threads there are.
func (m *model) listThreads() {
	m.step(m.newest(), ThreadsRequested{Message: m.next("om_list_"), Sender: m.someone()})
}

// resume lets an admin go on in a thread of the list, or in one that it does not have.
func (m *model) resume() {
	tr, id := m.newest(), m.next("om_resume_")
	m.step(tr, ResumeRequested{Message: id, Sender: "ou_admin", Created: m.tick(), Number: 1 + m.below(3), Entitled: true})
	if tr.data.Resume.Message == id {
		tr.before = len(m.written)
	}
}

// serveList lists the threads that are stored, and whether a track has them.
func (m *model) serveList(e ListThreads) Fact {
	if m.faulty && m.below(10) == 9 {
		return ThreadsUnlisted{Message: e.Message, Why: ServerRefused, Said: "no"}
	}
	if m.server.threads[elsewhere] == nil {
		m.server.threads[elsewhere] = &modelThread{turns: []*modelTurn{{id: m.next("foreign_"), status: EndCompleted}}}
	}
	list := ThreadsListed{Message: e.Message, At: m.now}
	for _, id := range slices.Sorted(maps.Keys(m.server.threads)) {
		if m.server.threads[id] != nil {
			list.Threads = append(list.Threads, DeskThread{Thread: id, Title: id, Taken: m.trackOn(id) != nil})
		}
	}
	return list
}

// serveBind says whether a thread can be had: it is stored, and no track has it.
func (m *model) serveBind(e BindThread) Fact {
	unavailable := ThreadUnavailable{Message: e.Message}
	switch {
	case m.server.threads[e.Thread] == nil:
		unavailable.Why = NotStored
	case m.trackOn(e.Thread) != nil:
		unavailable.Why = TakenElsewhere
	case m.faulty && m.below(10) == 9:
		unavailable.Why, unavailable.Said = ServerRefused, "no"
	default:
		return ThreadFound(e)
	}
	return unavailable
}
