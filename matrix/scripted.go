package matrix

import (
	"os"
	"slices"
	"sync"

	"deskbridge/adapters/sandbox/appserver"
)

// script starts a scripted app-server on the desk's socket, where the daemon finds
// it listening.
func (d *Desk) script(o appserver.Options) {
	d.must(os.MkdirAll(d.Data, 0o700))
	o.Script = d.asked.noting(o.Script)
	var err error
	d.Scripted, err = appserver.Listen(d.socket(), o)
	d.must(err)
	d.tb.Cleanup(func() { d.check(d.Scripted.Close()) })
}

// asked are the texts that a script was asked about. Its methods may be called from
// any goroutine.
type asked struct {
	mu    sync.Mutex
	turns []turnAsked
}

type turnAsked struct {
	thread, turn string
	texts        []string
}

// noting is the script, noting what it is asked.
func (a *asked) noting(script appserver.Script) appserver.Script {
	if script == nil {
		script = appserver.Echo
	}
	return func(ask appserver.Ask) []appserver.Step {
		a.note(turnAsked{ask.Thread, ask.Turn, ask.Texts})
		return script(ask)
	}
}

// note keeps what a turn was asked last: that is all of its texts.
func (a *asked) note(t turnAsked) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.IndexFunc(a.turns, func(o turnAsked) bool { return o.turn == t.turn }); i >= 0 {
		a.turns[i] = t
		return
	}
	a.turns = append(a.turns, t)
}

// told are the texts of all turns, by thread.
func (a *asked) told() map[string][]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string][]string{}
	for _, t := range a.turns {
		all[t.thread] = append(all[t.thread], t.texts...)
	}
	return all
}
