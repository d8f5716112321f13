package codex

import "strings"

// Capability is something that not every version of Codex can do.
type Capability string

// The capabilities.
const (
	CanEchoClientIDs      Capability = "client_ids"
	CanListTurns          Capability = "list_turns"
	CanReadThread         Capability = "read_thread"
	CanResumeWithoutTurns Capability = "resume_without_turns"
	CanSteer              Capability = "steer"
	CanInterrupt          Capability = "interrupt"
	CanListLoaded         Capability = "list_loaded"
	CanNameActiveTurn     Capability = "name_active_turn"
	CanRefuseInterrupt    Capability = "refuse_interrupt"
)

// Support says which versions have a capability, and what its absence means.
type Support struct {
	Capability Capability
	// Call is what refusals name: a method, or METHOD.PARAMETER. Empty where it is how
	// a version behaves, so that no refusal tells.
	Call string
	// Since is the first version that was seen to have it.
	Since string
	// Plain is the first version in which it needs no experimentalApi, if some need
	// it. The bridge asks for that in every handshake.
	Plain string
	// Entrance is what of the bridge needs it.
	Entrance string
	// Instead is what is done where it is missing. It never lets Codex do more than
	// it may otherwise.
	Instead string
}

// Capabilities lists what the bridge makes use of and not every version has.
func Capabilities() []Support {
	return []Support{
		{CanEchoClientIDs, "", "0.136.0", "", "every text: only an item with its id proves it", "the version is not used"},
		{CanListTurns, methodList, "0.122.0", "0.155.0", "reading what became of turns", "`thread/read` with all turns, which takes longer the longer a thread is"},
		{CanReadThread, methodRead, "0.100.0", "", "reading whether a thread is idle", "nothing is proven, and the operator is told; all that waits is kept"},
		{CanResumeWithoutTurns, methodResume + ".excludeTurns", "0.130.0", "0.155.0", "resuming a thread", "the answer holds all turns, and is not looked at"},
		{CanSteer, methodSteer, "0.100.0", "", "text into a turn that runs", "the text waits for the turn's end, and is sent then"},
		{CanInterrupt, methodInterrupt, "0.60.1", "", "`/stop`", "the turn is not ended, and the stop says that it could not be"},
		{CanListLoaded, methodLoaded, "0.80.0", "", "replacing a server by the installed version", "the server is not replaced"},
		{CanNameActiveTurn, "", "0.150.0", "", "`turn/start` during a turn: the answer names the turn that has the text", "a read finds the turn that has the text"},
		{CanRefuseInterrupt, "", "0.171.0", "", "a second `/stop`: it is refused", "it has no answer, and is given up after a time"},
	}
}

// supports reports whether a version has a capability, as far as its name tells. A
// version that says nothing is taken to have all.
func supports(name string, capability Capability) bool {
	v, known := parseVersion(name)
	if !known {
		return true
	}
	for _, s := range Capabilities() {
		if s.Capability == capability {
			return !v.before(s.Since)
		}
	}
	return false
}

// can reports whether the server on the present connection has a capability: its
// version says so, and it has not said otherwise.
func (c *Client) can(capability Capability) bool {
	return !c.lacking[capability] && supports(c.version, capability)
}

// lacks notes what the server has refused for not having it, and reports whether the
// refusal says so.
func (c *Client) lacks(refusal *CallError) bool {
	if means := refusal.means(); means != meansUnknownMethod && means != meansExperimental {
		return false
	}
	for _, s := range Capabilities() {
		if s.Call == "" || !refusal.names(s.Call) || c.lacking[s.Capability] {
			continue
		}
		c.lacking[s.Capability] = true
		c.Log.Warn("Codex cannot do something that its version should", "capability", s.Capability, "version", c.version, "instead", s.Instead)
	}
	return true
}

// names reports whether the refusal is of a method or parameter for not being there.
func (e *CallError) names(call string) bool {
	return strings.Contains(e.Message, unknownVariant(call)) || strings.HasPrefix(e.Message, call+" requires experimentalApi")
}

// unknownVariant is how a server says that it does not have a method. The same words
// complain about a parameter's value, so that only the method's own name tells.
func unknownVariant(method string) string { return "unknown variant `" + method + "`" }

// missing is what is said in place of a refusal where a call is not made since the
// server does not have it.
func (c *Client) missing(method string) string {
	return "Codex " + c.version + " has no " + method
}
