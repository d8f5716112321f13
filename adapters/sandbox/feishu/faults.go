package feishu

import (
	"fmt"
	"net/http"
	"path"
	"time"
)

// EventMethod stands for the method when a fault is for events: the path is then
// the event type.
const EventMethod = "EVENT"

// FaultKind is what a fault does.
type FaultKind string

const (
	// Refuse answers a request with a platform code; it takes no effect.
	Refuse FaultKind = "refuse"
	// Gateway answers a request with an HTTP status and a body of HTML, as a proxy
	// before the platform does; it takes no effect. For the upgrade of the long
	// connection it is the refused handshake, with its headers.
	Gateway FaultKind = "gateway"
	// Hang never answers a request; it takes no effect.
	Hang FaultKind = "hang"
	// LostBefore closes the connection of a request without answer and effect. An
	// event with it is never written.
	LostBefore FaultKind = "lost_before"
	// LostAfter lets a request take effect, and closes the connection without an
	// answer. An event with it is written, and the connection dropped before its
	// acknowledgement can come.
	LostAfter FaultKind = "lost_after"
	// Slow lets a request take effect at once and answers it after Delay. An event
	// with it is written after Delay.
	Slow FaultKind = "slow"
	// RevokeTokens makes all tenant tokens invalid just before the request is
	// looked at: it and all others are refused until a new token was fetched.
	RevokeTokens FaultKind = "revoke_tokens"
	// Silence makes the connection whose turn it is go silent in place of the
	// event: it stays open, and nothing is sent or heard on it any more.
	Silence FaultKind = "silence"
	// Duplicate writes an event twice.
	Duplicate FaultKind = "duplicate"
	// Overtaken holds an event until the next one was written.
	Overtaken FaultKind = "overtaken"
)

// Match says which requests or events a fault is for.
type Match struct {
	Method string // HTTP method or [EventMethod]; empty: any HTTP method
	// Path is a pattern of path.Match for the request's path, or for the event
	// type; empty: any. The long connection is opened by GET /ws.
	Path string
	// Nth is the first that is hit, counted from 1 among those that match since the
	// fault was injected; 0 means 1.
	Nth int
	// Times is how many are hit from there on; 0 means 1, negative means all.
	Times int
}

// Fault is one entry of the fault list. It counts what matches it and was not taken
// by one before it in the list; so two that are for one request each hit the first
// and the second.
type Fault struct {
	Match
	Kind FaultKind
	Code int    // of Refuse
	Msg  string // of Refuse; empty: the usual one
	// Status is the HTTP status: of Refuse (0: 429 for 99991400, else 400), and of
	// Gateway (0: 502).
	Status int
	Header http.Header // of Refuse and Gateway, e.g. x-ogw-ratelimit-reset
	Delay  time.Duration
}

type armedFault struct {
	Fault
	seen int
}

// Inject adds faults to the list. A fault that cannot be is a bug of the script,
// and panics: an unknown kind, a malformed pattern, a kind that is not for what it
// matches.
func (p *Platform) Inject(faults ...Fault) {
	for _, f := range faults {
		if err := f.check(); err != nil {
			panic(fmt.Sprintf("feishu: fault %+v: %v", f, err))
		}
		p.faults = append(p.faults, &armedFault{Fault: f})
	}
}

// ClearFaults empties the fault list. What a fault has done stays done.
func (p *Platform) ClearFaults() { p.faults = nil }

func (f Fault) check() error {
	if _, err := path.Match(f.Path, ""); err != nil {
		return err
	}
	event := f.Method == EventMethod
	switch f.Kind {
	case LostBefore, LostAfter, Slow:
		return nil
	case Refuse, Gateway, Hang, RevokeTokens:
		if event {
			return fmt.Errorf("%s is not for events", f.Kind)
		}
		return nil
	case Silence, Duplicate, Overtaken:
		if !event {
			return fmt.Errorf("%s is for events only", f.Kind)
		}
		return nil
	}
	return fmt.Errorf("unknown kind %q", f.Kind)
}

// takeFault finds the fault for a request or an event and uses it up by one.
func (p *Platform) takeFault(method, name string) (Fault, bool) {
	for _, f := range p.faults {
		if !f.matches(method, name) {
			continue
		}
		first, times := max(f.Nth, 1), f.Times
		if times == 0 {
			times = 1
		}
		if times > 0 && f.seen >= first-1+times {
			continue // used up: leave it to the next in the list
		}
		f.seen++
		if f.seen >= first {
			return f.Fault, true
		}
	}
	return Fault{}, false
}

func (f *armedFault) matches(method, name string) bool {
	if f.Method != method && (f.Method != "" || method == EventMethod) {
		return false
	}
	if f.Path == "" {
		return true
	}
	ok, err := path.Match(f.Path, name)
	return ok && err == nil // the pattern was checked by Inject
}
