package feishu

import (
	"net/url"
	"slices"
	"time"
)

// Ending is how a request ended.
type Ending string

const (
	// Open means that there was no answer yet, or never will be.
	Open Ending = "open"
	// Answered means that the caller was given Status and Code.
	Answered Ending = "answered"
	// Closed means that the connection was closed without an answer.
	Closed Ending = "closed"
)

// Call is one entry of the journal: a request to the HTTP API, the endpoint call or
// the upgrade of a long connection.
type Call struct {
	At           time.Time
	Method, Path string
	Query        url.Values
	Body         string
	Ending       Ending
	Status       int // HTTP status
	Code         int // platform code, 0 also for answers that have none
	// Fault is the kind of the fault that hit it, empty if none did.
	Fault FaultKind
}

// Calls returns the journal of all requests, oldest first.
func (p *Platform) Calls() []Call {
	all := make([]Call, 0, len(p.calls))
	for _, c := range p.calls {
		entry := *c
		entry.Query = cloneValues(c.Query)
		all = append(all, entry)
	}
	return all
}

func (p *Platform) record(req Request) *Call {
	c := &Call{
		At: p.sched.Now(), Method: req.Method, Path: req.Path,
		Query: cloneValues(req.Query), Body: string(req.Body), Ending: Open,
	}
	p.calls = append(p.calls, c)
	p.changed()
	return c
}

func (p *Platform) finish(c *Call, r Response) {
	if r.Closed {
		c.Ending = Closed
	} else {
		c.Ending, c.Status, c.Code = Answered, r.Status, r.code
	}
	p.changed()
}

func cloneValues(v url.Values) url.Values {
	if v == nil {
		return nil
	}
	c := make(url.Values, len(v))
	for key, values := range v {
		c[key] = slices.Clone(values)
	}
	return c
}
