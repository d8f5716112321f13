package transitions

import "slices"

// view is what a person can see of the requests, once a fact has done its work.
type view string

const (
	viewVisible view = "then_visible" // an open request is visible
	viewHidden  view = "then_hidden"  // Codex waits on something that nobody can act on
	viewClear   view = "then_clear"   // Codex waits on nobody
)

// viewOf looks ahead: which requests does the fact take away, show or bring.
func viewOf(d *Data, f Fact) view {
	// The flag was about the turn that was active; a start may not have been.
	waiting := d.Waiting && !d.takesTurn(f, func(t *Turn) bool { return t.ID != "" })
	switch f := f.(type) {
	case TurnEnded, GenerationChanged:
		waiting = false
	case ThreadStatusChanged:
		waiting = f.waits()
	case RequestOpened:
		waiting = true // the new request is hidden until it is proven visible
	}
	seen := viewClear
	for i := range d.Requests {
		r := &d.Requests[i]
		switch {
		case d.leaves(f, r):
		case r.visible() || r.hidden() && shows(f, r):
			return viewVisible
		case r.hidden():
			seen = viewHidden
		}
	}
	if waiting {
		seen = viewHidden
	}
	return seen
}

// shows says that the fact proves the request visible.
func shows(f Fact, r *Request) bool {
	v, ok := f.(RequestVisible)
	return ok && v.Request == r.ID
}

// leaves says that after the fact nobody has to act on the request.
func (d *Data) leaves(f Fact, r *Request) bool {
	switch f := f.(type) {
	case RequestAnswered, RequestResolved, ReplayOverdue:
		return requestOf(f) == r.ID
	case GenerationChanged:
		return f.asks(r)
	case ChatClosed:
		if d.ours(r.Turn) {
			return true // declined
		}
	}
	return d.takesTurn(f, func(t *Turn) bool { return t.ID == r.Turn })
}

// waits says that Codex waits on a person.
func (f ThreadStatusChanged) waits() bool { return f.Status == StatusActive && f.Waiting }

// asks says that another process than this one asked.
func (f GenerationChanged) asks(r *Request) bool {
	return r.Generation != "" && r.Generation != f.Generation
}

func (d *Data) anyRequest(is func(*Request) bool) bool {
	for i := range d.Requests {
		if is(&d.Requests[i]) {
			return true
		}
	}
	return false
}

func views(v view, doc string) guard {
	return guard{
		Term:  term(string(v), doc),
		Holds: func(d *Data, f Fact) bool { return viewOf(d, f) == v },
	}
}

var (
	thenVisible = views(viewVisible, "An open request is visible.")
	thenHidden  = views(viewHidden, "No request is visible, and Codex waits on one that nobody can act on.")
	thenClear   = views(viewClear, "Codex waits on nobody.")

	viewGuard = map[view]guard{viewVisible: thenVisible, viewHidden: thenHidden, viewClear: thenClear}
	viewState = map[view]State{viewVisible: WaitingVisible, viewHidden: PendingVisibility, viewClear: Steerable}
	viewWhy   = map[view]string{
		viewVisible: "a visible request waits for a person.",
		viewHidden:  "Codex waits on what nobody can act on yet.",
		viewClear:   "Codex waits on nobody.",
	}

	requestKnown = guard{
		Term:  term("request_known", "The request is open."),
		Holds: func(d *Data, f Fact) bool { return d.request(requestOf(f)) != nil },
	}
	requestDecided = guard{
		Term: term("request_decided", "The request is decided already."),
		Holds: func(d *Data, f Fact) bool {
			r := d.request(requestOf(f))
			return r != nil && r.State == RequestDecided
		},
	}
	entitled = guard{
		Term: term("entitled", "The person asked for the request's turn, or wrote a message that is proven in it, or may decide anyway."),
		Holds: func(d *Data, f Fact) bool {
			a, ok := f.(RequestAnswered)
			r := d.request(requestOf(f))
			if !ok || r == nil {
				return false
			}
			t := d.turn(r.Turn)
			return a.Entitled || t != nil && d.wroteTo(a.By, t)
		},
	}
	unreplayed = guard{
		Term: term("unreplayed", "The request was not sent again since the thread was resumed on that connection."),
		Holds: func(d *Data, f Fact) bool {
			overdue, ok := f.(ReplayOverdue)
			r := d.request(requestOf(f))
			return ok && r != nil && r.Unreplayed != "" && r.Unreplayed == overdue.Connection
		},
	}
	requestGone = guard{
		Term: term("request_gone", "The request was resolved, or its turn is known to be over."),
		Holds: func(d *Data, f Fact) bool {
			return turnClosed.Holds(d, f) || slices.Contains(d.Settled, requestOf(f))
		},
	}
	flagAlone = guard{
		Term:  term("flag_alone", "Codex waits on a person, and nothing that it asks has arrived."),
		Holds: func(d *Data, _ Fact) bool { return d.Waiting && len(d.Requests) == 0 },
	}
	threadActive = guard{
		Term: term("thread_active", "A turn runs on the thread."),
		Holds: func(_ *Data, f Fact) bool {
			s, ok := f.(ThreadStatusChanged)
			return ok && s.Status == StatusActive
		},
	}
)
