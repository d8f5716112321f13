package explore

import (
	"slices"

	"deskbridge/transitions"
)

// elsewhere is a thread that was begun by another client.
const elsewhere = "x1"

// resumable says that a person may go on with another thread: one is enough, and its
// way back is not looked at.
func (w *world) resumable() bool {
	return !slices.ContainsFunc(w.Tracks, func(tr track) bool { return tr.Data.Thread == elsewhere || tr.Data.Resume.Message != "" })
}

// resume lets a person see the list, and choose from it.
func (w *world) resume(tr int) {
	w.now++
	for i := range w.Written {
		w.Written[i].Later = false
	}
	w.tell(
		toTrack{tr, transitions.ThreadsListed{Message: "l1", At: w.now, Threads: []transitions.DeskThread{{Thread: elsewhere, Title: "elsewhere"}}}},
		toTrack{tr, transitions.ResumeRequested{Message: "g1", Sender: admin, Created: w.now, Number: 1, Entitled: true}},
	)
}

// serveBind lets Codex say whether it has the thread, and the bridge whether another
// track does.
func (w *world) serveBind(e transitions.BindThread) transitions.Fact {
	if slices.ContainsFunc(w.Tracks, func(tr track) bool { return tr.Data.Thread == e.Thread }) {
		return transitions.ThreadUnavailable{Message: e.Message, Why: transitions.TakenElsewhere}
	}
	if w.thread(e.Thread) == nil {
		w.Threads = append(w.Threads, thread{ID: e.Thread, Stored: true})
	}
	return transitions.ThreadFound(e)
}
