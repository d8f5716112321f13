package codex

import "encoding/json"

// resumption is how a resume went.
type resumption struct {
	state resumeState
	err   error // unless resumeDone
}

type resumeState string

const (
	// resumeDone: the server holds the thread, and its events come here.
	resumeDone resumeState = "done"
	// resumeNotYet: the server holds the thread, which has no first turn on disk
	// yet. Its events may not come here.
	resumeNotYet resumeState = "not yet"
	// resumeNotStored: the thread is not on disk. It is either gone, or loaded
	// and without a first turn; a call on it tells which.
	resumeNotStored resumeState = "not stored"
	// resumeRefused: the server does not want to, as with an archived thread.
	resumeRefused resumeState = "refused"
	// resumeOverloaded: not now.
	resumeOverloaded resumeState = "overloaded"
	// resumeUnsent: there was no answer.
	resumeUnsent resumeState = "unsent"
)

type resumeParams struct {
	ThreadID string `json:"threadId"`
	// ExcludeTurns keeps the answer small however long the thread is.
	ExcludeTurns bool `json:"excludeTurns"`
	settings
}

// resume makes sure that the thread is loaded and that its events come over this
// connection, then runs the function, at once if that is so already. Several at
// a time share one call.
func (c *Client) resume(s *session, t *thread, then func(resumption)) {
	if t.resumed {
		then(resumption{state: resumeDone})
		return
	}
	t.resuming = append(t.resuming, then)
	if len(t.resuming) > 1 {
		return
	}
	params := resumeParams{ThreadID: t.id, ExcludeTurns: true, settings: c.settings()}
	s.call(methodResume, params, c.CallTimeout, func(_ json.RawMessage, err error) {
		r := resumptionOf(err)
		t.resumed = r.state == resumeDone
		waiting := t.resuming
		t.resuming = nil
		for _, then := range waiting {
			then(r)
		}
	})
}

func resumptionOf(err error) resumption {
	if err == nil {
		return resumption{state: resumeDone}
	}
	refusal, ok := refused(err)
	if !ok {
		return resumption{resumeUnsent, err}
	}
	switch refusal.means() {
	case meansNotYet:
		return resumption{resumeNotYet, err}
	case meansNotStored, meansNotLoaded:
		return resumption{resumeNotStored, err}
	case meansOverloaded:
		return resumption{resumeOverloaded, err}
	default:
		return resumption{resumeRefused, err}
	}
}
