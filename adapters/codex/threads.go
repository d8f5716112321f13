package codex

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"deskbridge/transitions"
)

const (
	methodThreads = "thread/list"

	// mostThreads is how many are listed at most, and threadsPage how many a page has;
	// the server knows of no folder with what is below it, so that pages are gone
	// through, at most maxThreadPages.
	mostThreads    = 10
	threadsPage    = 50
	maxThreadPages = 10
	// titleLength is how many characters of a title are given.
	titleLength = 40
	// threadTries is how often a command that asks for threads is tried: about a
	// minute, after which whoever wrote it may have gone on to something else.
	threadTries = 7
)

// threadSources are those that people began, wherever: the terminal, an editor or
// desktop, `codex exec`, and other clients. Threads of sub-agents are not.
var threadSources = []string{"cli", "vscode", "exec", "appServer"}

type threadsParams struct {
	Limit       int      `json:"limit"`
	SortKey     string   `json:"sortKey"`
	SourceKinds []string `json:"sourceKinds"`
	Cursor      string   `json:"cursor,omitempty"`
}

// listing is one list of the desk's threads on its way.
type listing struct {
	c     *Client
	s     *session
	track string
	e     transitions.ListThreads
	a     transitions.Attempt
	done  func(transitions.Report)
	found []transitions.DeskThread
	pages int
}

func (l *listing) page(cursor string) {
	params := threadsParams{Limit: threadsPage, SortKey: "updated_at", SourceKinds: threadSources, Cursor: cursor}
	l.s.call(methodThreads, params, l.c.CallTimeout, func(result json.RawMessage, err error) {
		threads, next, unusable := []storedThread(nil), "", error(nil)
		if err == nil {
			threads, next, unusable = decodeThreads(result)
		}
		switch {
		case err != nil:
			why, said, again := l.c.unavailable(err, l.a)
			l.done(orAgain(transitions.ThreadsUnlisted{Message: l.e.Message, Why: why, Said: said}, again))
		case unusable != nil:
			l.c.Log.Warn("Codex listed threads in a way that the bridge cannot read", "version", l.c.version)
			l.done(transitions.Settled(transitions.ThreadsUnlisted{Message: l.e.Message, Why: transitions.ServerRefused, Said: "its list cannot be read"}))
		default:
			l.take(threads)
			if l.pages++; len(l.found) < mostThreads && next != "" && next != cursor && l.pages < maxThreadPages {
				l.page(next)
				return
			}
			l.settle()
		}
	})
}

// take keeps those of a page that belong to the desk.
func (l *listing) take(page []storedThread) {
	for _, t := range page {
		known := slices.ContainsFunc(l.found, func(o transitions.DeskThread) bool { return o.Thread == t.ID })
		if known || !l.c.ofDesk(t.Cwd) {
			continue // one that was used meanwhile moves the pages on by one
		}
		l.found = append(l.found, transitions.DeskThread{
			Thread: t.ID, Title: titleOf(cmp.Or(t.Name, t.Preview)), Used: transitions.Millis(cmp.Or(t.RecencyAt, t.UpdatedAt) * 1000),
			Taken: l.c.Held != nil && l.c.Held(l.track, t.ID) == transitions.TakenElsewhere,
		})
	}
}

// settle puts the one used last first: some versions move a thread up when it is only
// resumed.
func (l *listing) settle() {
	slices.SortStableFunc(l.found, func(a, b transitions.DeskThread) int { return cmp.Compare(b.Used, a.Used) })
	l.done(transitions.Settled(transitions.ThreadsListed{
		Message: l.e.Message, Threads: l.found[:min(len(l.found), mostThreads)], At: transitions.Millis(l.c.Wall().UnixMilli()),
	}))
}

// bindThread asks whether the thread can be had. It is not watched yet: what it does
// is nothing to the track that asks.
func (c *Client) bindThread(s *session, track string, e transitions.BindThread, a transitions.Attempt, done func(transitions.Report)) {
	if c.Held != nil {
		if why := c.Held(track, e.Thread); why != "" {
			done(transitions.Settled(transitions.ThreadUnavailable{Message: e.Message, Why: why}))
			return
		}
	}
	params := resumeParams{ThreadID: e.Thread, ExcludeTurns: c.can(CanResumeWithoutTurns), settings: c.settings()}
	fail := func(err error) {
		why, said, again := c.unavailable(err, a)
		done(orAgain(transitions.ThreadUnavailable{Message: e.Message, Why: why, Said: said}, again))
	}
	s.call(methodResume, params, c.CallTimeout, func(result json.RawMessage, err error) {
		if err != nil {
			fail(err)
			return
		}
		found, _ := decodeThread(result) // what it does not say is not known, which nothing allows
		c.usual(s, func(usual transitions.Policy, err error) {
			switch {
			case err != nil:
				fail(err)
			case len(found.Policy.LooserThan(usual)) > 0:
				done(transitions.Settled(transitions.ThreadUnavailable{Message: e.Message, Why: transitions.LooserThere}))
			default:
				done(transitions.Settled(transitions.ThreadFound(e)))
			}
		})
	})
}

// usual finds out what a new thread of the desk would run under, by opening one that is
// never stored: a thread that was begun elsewhere may do no more than that here. The
// folders that the operator gave are the desk's as well.
func (c *Client) usual(s *session, done func(transitions.Policy, error)) {
	params := struct {
		openParams
		Ephemeral bool `json:"ephemeral"`
	}{openParams{Cwd: c.Workdir, settings: c.settings()}, true}
	s.call(methodOpen, params, c.CallTimeout, func(result json.RawMessage, err error) {
		var state threadState
		if err == nil {
			state, err = decodeThread(result)
		}
		p := state.Policy
		if p.Sandbox == sandboxWorkspace {
			p.Writable = strings.Join(append([]string{p.Writable, c.Workdir}, c.Roots...), "\n")
		}
		done(p, err)
	})
}

// unavailable is why threads cannot be had, or that it is to be tried again.
func (c *Client) unavailable(err error, a transitions.Attempt) (why transitions.Unavailable, said string, again *transitions.Again) {
	refusal, ok := refused(err)
	passes := !ok || refusal.means() == meansOverloaded || refusal.means() == meansNotYet
	switch {
	case passes && a.Number < threadTries:
		return "", "", c.unsent(a, err).Again
	case passes:
		return transitions.ServerUnreached, "", nil
	case refusal.means() == meansHeld:
		return transitions.StillEnding, "", nil
	case refusal.means() == meansNotStored || refusal.means() == meansNotLoaded || refusal.means() == meansArchived:
		return transitions.NotStored, "", nil
	}
	return transitions.ServerRefused, refusal.Message, nil
}

func orAgain(f transitions.Fact, again *transitions.Again) transitions.Report {
	if again != nil {
		return transitions.Report{Again: again}
	}
	return transitions.Settled(f)
}

// unasked is the report of an effect for which there is no connection: a command that
// asks for threads does not wait for ever.
func (c *Client) unasked(e transitions.Effect, a transitions.Attempt) transitions.Report {
	why, said, again := c.unavailable(ErrNotConnected, a)
	switch e := e.(type) {
	case transitions.ListThreads:
		return orAgain(transitions.ThreadsUnlisted{Message: e.Message, Why: why, Said: said}, again)
	case transitions.BindThread:
		return orAgain(transitions.ThreadUnavailable{Message: e.Message, Why: why, Said: said}, again)
	}
	return c.unsent(a, ErrNotConnected)
}

// ofDesk says that a folder is one of the desk's, or below one.
func (c *Client) ofDesk(folder string) bool {
	return slices.ContainsFunc(append(slices.Clip(c.Roots), c.Workdir), func(root string) bool {
		below, err := filepath.Rel(root, folder)
		return root != "" && err == nil && below != ".." && !strings.HasPrefix(below, "../")
	})
}

// titleOf makes one short line of a text.
func titleOf(text string) string {
	line := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if letters := []rune(line); len(letters) > titleLength {
		return strings.TrimSpace(string(letters[:titleLength])) + "…"
	}
	return line
}

// storedThread is one thread of a list.
type storedThread struct {
	ID      string `json:"id"`
	Name    string `json:"name"`    // that a person gave it
	Preview string `json:"preview"` // its first text
	Cwd     string `json:"cwd"`
	// In seconds of Unix time. RecencyAt is the last start of a turn; 0.136.0 has
	// none. Resuming a thread moves UpdatedAt in some versions.
	UpdatedAt int64 `json:"updatedAt"`
	RecencyAt int64 `json:"recencyAt"`
}

// decodeThreads reads a page of thread/list. An entry without an id is none.
func decodeThreads(raw json.RawMessage) (threads []storedThread, next string, err error) {
	var wire struct {
		Data       []storedThread `json:"data"`
		NextCursor string         `json:"nextCursor"`
	}
	if !decode(raw, &wire) || wire.Data == nil {
		return nil, "", errUnusable
	}
	return slices.DeleteFunc(wire.Data, func(t storedThread) bool { return t.ID == "" }), wire.NextCursor, nil
}
