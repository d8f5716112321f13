package codex

import (
	"encoding/json"
	"slices"
)

// listByReading lists the thread's turns where the server has no thread/turns/list:
// thread/read gives all there are, oldest first, and takes the longer the longer the
// thread is. What the pull does with them is the same.
func (p *pull) listByReading() {
	params := readParams{ThreadID: p.t.id, IncludeTurns: true}
	p.s.call(methodRead, params, p.c.CallTimeout, func(result json.RawMessage, err error) {
		if refusal, ok := refused(err); ok {
			p.refusedList(refusal)
			return
		}
		if err != nil {
			p.fail(err)
			return
		}
		turns, err := decodeTurns(result)
		if err != nil {
			p.c.Log.Warn("Codex gave a thread's turns in a way that the bridge cannot read", "thread", p.t.id, "version", p.c.version)
			p.fail(err)
			return
		}
		p.newest = false
		p.listed("", page{Turns: turns})
	})
}

// unreadable ends a pull where the server has no way to be asked.
func (p *pull) unreadable(refusal *CallError) {
	p.c.report(&Trouble{
		Kind: TooOld, Err: refusal,
		What:   "Codex does not let the bridge read what became of its turns",
		Remedy: "install " + Minimum + " or newer, and " + ending(p.s.link.Generation),
	})
	p.fail(refusal)
}

// decodeTurns reads the turns of a thread, newest first; strictly, as [decodePage]
// does.
func decodeTurns(raw json.RawMessage) ([]turn, error) {
	var wire struct {
		Thread struct {
			Turns json.RawMessage `json:"turns"`
		} `json:"thread"`
	}
	if !decode(raw, &wire) {
		return nil, errUnusable
	}
	list, err := json.Marshal(map[string]json.RawMessage{"data": wire.Thread.Turns})
	if err != nil {
		return nil, errUnusable
	}
	p, err := decodePage(list)
	slices.Reverse(p.Turns)
	return p.Turns, err
}
