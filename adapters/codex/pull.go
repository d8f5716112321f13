package codex

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"deskbridge/transitions"
)

const (
	// pageSize is how many turns a page lists: enough for all that were started
	// since the last pull, so that one page nearly always does.
	pageSize = 20
	// newestSize is how many the first page lists once turns have been told to be
	// over: the newest, and one that is known. The server needs a tenth of a short
	// turn's time for a whole page.
	newestSize = 2
	// slowest is a count of pauses that makes each the longest there is.
	slowest = 32
	// maxPages bounds the search for a turn that is waited for and not found.
	maxPages = 100
)

// pull is one read of a thread's newest turns and of its status.
//
// A snapshot must not claim the thread idle together with a list that is older
// than a turn's start or end, for the two together prove absences: of a turn
// that a lost turn/start asked for, and of a known turn that vanished. The list
// is read first, and the status only when the list has been answered:
//
//   - A turn that began before the list was read is in the list, or, until it is
//     on disk, still active when the status is read, unless it ended in between.
//   - A turn that ended before the list was read is in the list.
//   - A turn that is in the list and not over makes the snapshot not idle,
//     whatever the status says afterwards.
//
// A turn that the list shows as over is over, but for one case: see [pull.doubt].
//
// What remains is a turn that began and ended between the two reads, or began
// just then and does not show in the status yet: right after turn/start has been
// answered, for some tens of milliseconds, there is no list and the status says
// idle. Hence a snapshot is not idle either if
//
//   - a turn/start of ours is under way, or was answered less than the settle
//     time ago with a turn that no list has shown yet, or
//   - the server told of a turn's start or end since the pull began. Such word
//     causes the next pull, which then says so.
//
// A server that delays both the turn and the word of it is left to the second
// pull, the settle time later, that every proof of an absence needs.
type pull struct {
	c *Client
	s *session
	t *thread

	movedBefore int
	resume      resumption
	turns       []turn // newest first
	pages       int
	newest      bool    // the last page listed the newest alone
	unlisted    meaning // why there is no list; empty: there is one
	cut         bool    // the search ended before all was found
	doubted     string  // the listed turn that is not believed to be over
	told        bool    // what the list proves is told
}

type listParams struct {
	ThreadID  string `json:"threadId"`
	Limit     int    `json:"limit"`
	ItemsView string `json:"itemsView"`
	Cursor    string `json:"cursor,omitempty"`
}

type readParams struct {
	ThreadID     string `json:"threadId"`
	IncludeTurns bool   `json:"includeTurns"`
}

// pull reads the thread. A thread that is not resumed on this connection is
// resumed first, so that later hints arrive, and so that what it is read from is
// the server's own state. A resume that is refused is no reason not to read.
func (c *Client) pull(s *session, t *thread) {
	t.pulling = true
	if !c.Scheduler.Now().Before(t.by) {
		t.by = time.Time{}
	}
	p := &pull{c: c, s: s, t: t, movedBefore: t.moved}
	c.resume(s, t, func(r resumption) {
		p.resume = r
		if r.state == resumeUnsent || r.state == resumeOverloaded || r.state == resumeHeld {
			p.fail(r.err)
			return
		}
		// Resuming moves the thread's status by itself.
		p.movedBefore = t.moved
		p.list("")
	})
}

// fail ends the pull without a snapshot.
func (p *pull) fail(err error) {
	p.c.Log.Debug("a thread could not be read", "thread", p.t.id, "reason", err)
	if p.s.closed {
		p.t.wanted = true
	}
	p.t.release(err)
	p.c.pulled(p.t)
}

func (p *pull) list(cursor string) {
	if !p.c.can(CanListTurns) {
		p.listByReading()
		return
	}
	params := listParams{ThreadID: p.t.id, Limit: pageSize, ItemsView: viewFull, Cursor: cursor}
	if p.newest = cursor == "" && len(p.t.told) > 0; p.newest {
		params.Limit = newestSize
	}
	if p.t.single {
		params.Limit = 1
	}
	p.s.call(methodList, params, p.c.CallTimeout, func(result json.RawMessage, err error) {
		if refusal, ok := refused(err); ok {
			p.refusedList(refusal)
			return
		}
		if errors.Is(err, errTooLarge) {
			p.tooLarge(cursor)
			return
		}
		if err != nil {
			p.fail(err)
			return
		}
		page, err := decodePage(result)
		if err != nil {
			p.c.Log.Warn("Codex listed turns in a way that the bridge cannot read", "thread", p.t.id, "version", p.c.version)
			p.fail(err)
			return
		}
		p.listed(cursor, page)
	})
}

// tooLarge goes on after a page that is too large to be read: turn by turn, and if a
// turn alone is too large, without it and what is older. A page with less of it is no
// way out: of what a turn is not shown to hold, the absence would be taken for proven.
func (p *pull) tooLarge(cursor string) {
	if !p.t.single {
		p.t.single = true
		p.list(cursor)
		return
	}
	if !p.t.unreadable {
		p.t.unreadable = true
		p.c.Log.Error("a turn of Codex is too large to be read, so that what became of it, and of older ones, cannot be told; begin a new conversation with /new", "thread", p.t.id)
	}
	p.t.pause = slowest
	if len(p.turns) > 0 && !p.turns[0].severed() {
		p.tell()
	}
	p.fail(errTooLarge)
}

// refusedList goes on where the refusal itself says something about the turns.
func (p *pull) refusedList(refusal *CallError) {
	why := refusal.means()
	switch {
	case p.pages > 0:
		p.fail(refusal) // half a list proves nothing
	case why == meansNotYet, why == meansNotLoaded, why == meansNotStored:
		p.unlisted = why
		p.read()
	case p.c.lacks(refusal) && refusal.Method == methodList:
		p.listByReading()
	case p.c.lacks(refusal):
		p.unreadable(refusal)
	default:
		p.fail(refusal)
	}
}

func (p *pull) listed(cursor string, page page) {
	p.pages++
	for _, t := range page.Turns {
		// A turn that began meanwhile moves the pages on by one.
		if !p.lists(t.ID) {
			p.turns = append(p.turns, t)
		}
	}
	if page.Next == "" || p.found() && (!p.newest || p.overlaps()) {
		if len(p.turns) > 0 && !p.turns[0].severed() {
			p.tell() // the status makes no difference to it, and people wait
		}
		p.read()
		return
	}
	if p.pages == maxPages || page.Next == cursor {
		p.cut = true
		p.c.Log.Warn("a turn was looked for in the newest pages and not found", "thread", p.t.id, "pages", p.pages)
		p.read()
		return
	}
	p.list(page.Next)
}

// found reports whether all turns are listed that are waited for.
func (p *pull) found() bool {
	for _, id := range p.t.watch.Turns {
		if !p.lists(id) {
			return false
		}
	}
	return true
}

// overlaps reports whether the list reaches back to the last one: a turn that was
// over in that is in it, and all that is older was told then.
func (p *pull) overlaps() bool {
	return slices.ContainsFunc(p.turns, func(t turn) bool { return p.t.told[t.ID] })
}

func (p *pull) read() {
	params := readParams{ThreadID: p.t.id}
	p.s.call(methodRead, params, p.c.CallTimeout, func(result json.RawMessage, err error) {
		if refusal, ok := refused(err); ok && refusal.means() == meansNotLoaded && p.gone() {
			p.close(true)
			return
		}
		if refusal, ok := refused(err); ok && p.c.lacks(refusal) {
			p.unreadable(refusal)
			return
		}
		if err != nil {
			p.fail(err)
			return
		}
		state, err := decodeThread(result)
		if err != nil {
			p.fail(err)
			return
		}
		p.doubt(state.Status)
		p.close(p.idle(state.Status))
	})
}

// gone reports whether, given that it can't be read either, the thread is
// neither loaded nor stored. Then it has no turns, and will have none.
func (p *pull) gone() bool {
	return p.unlisted == meansNotLoaded && p.resume.state == resumeNotStored
}

// idle reports whether the snapshot may say that there is no active turn; see
// [pull] for the reasons.
func (p *pull) idle(status string) bool {
	t := p.t
	switch status {
	case threadIdle, threadSystemError:
	case threadNotLoaded:
		// No turn is active in a server that does not hold the thread. If it could
		// have been resumed it was dropped since, and the next pull resumes it.
		t.resumed = false
		if p.resume.state == resumeDone {
			return false
		}
	default:
		return false
	}
	if p.cut || t.starting > 0 || t.moved != p.movedBefore {
		return false
	}
	if p.unlisted == meansNotLoaded || p.unlisted == meansNotStored {
		return false // the list contradicts the status
	}
	for i := range p.turns {
		if !p.over(p.turns[i]) {
			return false
		}
	}
	now := p.c.Scheduler.Now()
	return !slices.ContainsFunc(t.fresh, func(f freshTurn) bool {
		return now.Sub(f.at) < p.c.Settle && !p.lists(f.id)
	})
}

// doubt decides whether the newest turn is believed to be over if it is severed:
// it may have begun a moment ago instead, and its end is told only once. It is
// believed once it has been read so twice, the settle time apart, with the thread
// idle. An older turn is over in any case, since a thread has one at a time.
func (p *pull) doubt(status string) {
	t, now := p.t, p.c.Scheduler.Now()
	if len(p.turns) == 0 || !p.turns[0].severed() {
		t.severed = severed{}
		return
	}
	id := p.turns[0].ID
	idle := status == threadIdle || status == threadSystemError || status == threadNotLoaded
	switch {
	case !idle:
		t.severed = severed{}
		p.doubted = id
	case t.severed.turn != id:
		t.severed = severed{turn: id, since: now}
		p.doubted = id
		p.c.ask(t, p.c.Settle)
	case now.Sub(t.severed.since) < p.c.Settle:
		p.doubted = id
	}
}

// over reports whether a listed turn is believed to be over.
func (p *pull) over(t turn) bool {
	_, ended := t.end()
	return ended && t.ID != p.doubted
}

// lists reports whether the list shows the turn.
func (p *pull) lists(id string) bool {
	return slices.ContainsFunc(p.turns, func(t turn) bool { return t.ID == id })
}

// close tells what the snapshot proves beside its list, and that it is one.
func (p *pull) close(idle bool) {
	t := p.t
	if p.c.threads[t.id] != t {
		t.release(errForgotten)
		return // the track has gone on to another thread
	}
	if !p.told {
		p.tell()
	}
	p.remember()
	p.silence()
	p.c.Emit(t.track, []transitions.Fact{transitions.PullAnswered{
		Idle: idle, Turns: ids(p.turns), Link: p.s.link,
		At:     transitions.Millis(p.c.Scheduler.Now().UnixMilli()),
		Settle: transitions.Millis(p.c.Settle.Milliseconds()),
	}})
	t.current = true
	t.release(nil)
	p.c.pulled(t)
}

// tell tells what the list proves.
func (p *pull) tell() {
	p.told = true
	if t := p.t; p.c.threads[t.id] == t {
		p.running()
		p.c.Emit(t.track, turnFacts(t.withFailures(p.turns), p.doubted, t.watch.Turns, t.told))
	}
}

// remember notes what the list has shown. What is noted is bounded by what two
// lists hold.
func (p *pull) remember() {
	t := p.t
	told := t.told
	if !p.newest || len(told) > pageSize {
		told = map[string]bool{}
	}
	for i := range p.turns {
		id := p.turns[i].ID
		if p.over(p.turns[i]) {
			told[id] = true
			delete(t.announced, id)
			if t.awaited == id {
				t.awaited = ""
			}
		}
	}
	t.told = told
	t.fresh = slices.DeleteFunc(t.fresh, func(f freshTurn) bool {
		return p.lists(f.id) || p.c.Scheduler.Now().Sub(f.at) >= p.c.Settle
	})
}

// running notes which turn runs, as far as the list says, and whether anything has
// happened in it that no event told.
func (p *pull) running() {
	t := p.t
	id, items := "", 0
	if i := slices.IndexFunc(p.turns, func(t turn) bool { return t.Status == turnInProgress }); i >= 0 {
		id, items = p.turns[i].ID, len(p.turns[i].Items)
	}
	if came := p.c.deltas.came(t.id); came || id != t.running || items != t.items {
		t.heard = p.c.Scheduler.Now()
	}
	t.running, t.items = id, items
}

// silence tells of a running turn of which nothing is heard.
func (p *pull) silence() {
	t, now := p.t, p.c.Scheduler.Now()
	if t.running != "" && now.Sub(t.heard) >= p.c.TurnIdle {
		t.heard = now
		p.c.Emit(t.track, []transitions.Fact{transitions.TurnSilent{Turn: t.running}})
	}
}
