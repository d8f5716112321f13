package codex

import (
	"errors"
	"fmt"
	"strings"

	"deskbridge/transitions"
)

// Reasons for which a call has no answer that could be used.
var (
	// errLost says that the connection ended before the answer came.
	errLost = errors.New("codex: the connection ended before the answer")
	// errSilent says that the answer did not come in time.
	errSilent = errors.New("codex: no answer in time")
	// errForgotten says that the track went on to another thread meanwhile.
	errForgotten = errors.New("codex: the thread is not this track's any more")
	// errUnusable says that an answer lacks what every version gives.
	errUnusable = errors.New("codex: the answer cannot be understood")
	// ErrNotConnected says that the call was not sent: why not, OnTrouble tells.
	ErrNotConnected = errors.New("codex: not connected")
)

// CallError is the server's refusal of a call.
type CallError struct {
	Method  string
	Code    int
	Message string // the server's words; all that tells one refusal from another
}

func (e *CallError) Error() string {
	return fmt.Sprintf("codex: %s refused (%d): %s", e.Method, e.Code, e.Message)
}

// meaning is what a refusal means, as far as its code and text tell.
type meaning string

const (
	meansOther meaning = "other"
	// meansNoActiveTurn: there is no turn to steer.
	meansNoActiveTurn meaning = "no active turn"
	// meansOtherTurn: another turn than the expected one is active.
	meansOtherTurn meaning = "other turn"
	// meansNotSteerable: the active turn takes no text.
	meansNotSteerable meaning = "not steerable"
	// meansNotLoaded: the server process does not hold the thread; it may be
	// stored all the same.
	meansNotLoaded meaning = "not loaded"
	// meansNotStored: the thread is not on disk; it may be loaded all the same,
	// as long as its first turn has not begun.
	meansNotStored meaning = "not stored"
	// meansNotYet: the thread is loaded, and what is asked for exists only once
	// its first turn is on disk. It passes.
	meansNotYet meaning = "not yet"
	// meansHeld: another server process on the same state folder has the thread open
	// for writing. What this one reads of it may be wrong: a turn that runs there reads
	// as interrupted here. It passes with that process.
	meansHeld meaning = "held by another server"
	// meansArchived: somebody has put the thread aside; codex unarchive takes it back.
	meansArchived meaning = "archived"
	// meansOverloaded: the call was not carried out, and may be repeated.
	meansOverloaded meaning = "overloaded"
	// meansUnknownMethod: this version does not have the method.
	meansUnknownMethod meaning = "unknown method"
	// meansExperimental: this version has the method or parameter only for clients
	// that ask for what is experimental.
	meansExperimental meaning = "experimental"
)

// codeOverloaded is the one code with a meaning of its own.
const codeOverloaded = -32001

// meanings are the texts of versions 0.136.0 to 0.171.0, looked for in this
// order. The texts about a thread's first turn differ between versions, and
// within one by how far its first turn has come to disk.
var meanings = []struct {
	text  string
	means meaning
}{
	{"no active turn", meansNoActiveTurn},
	{"expected active turn id", meansOtherTurn},
	{"cannot steer", meansNotSteerable}, // "cannot steer a review turn", "… a compact turn"
	{"no rollout found", meansNotStored},
	{"failed to resolve rollout path", meansNotStored}, // 0.145 to 0.150, after the file was deleted
	{"is not materialized yet", meansNotYet},
	{"is not supported yet", meansNotYet}, // "list_turns is not supported yet"
	{"failed to read session metadata", meansNotYet},
	{"rollout is empty", meansNotYet},
	{"thread not loaded", meansNotLoaded},
	{"thread not found", meansNotLoaded},
	{"already has an active writer", meansHeld},
	{"is archived. Run `codex unarchive", meansArchived},
	{"requires experimentalApi capability", meansExperimental},
}

// means tells what the refusal means.
func (e *CallError) means() meaning {
	if e.Code == codeOverloaded {
		return meansOverloaded
	}
	if strings.Contains(e.Message, unknownVariant(e.Method)) {
		return meansUnknownMethod
	}
	for _, m := range meanings {
		if strings.Contains(e.Message, m.text) {
			return m.means
		}
	}
	return meansOther
}

// refusal translates into the word that facts use. Whether a thread that is not
// loaded is gone, only a resume tells; so it is not decided here.
func (m meaning) refusal() transitions.Refusal {
	switch m {
	case meansNoActiveTurn:
		return transitions.NoActiveTurn
	case meansOtherTurn:
		return transitions.OtherTurn
	case meansNotSteerable:
		return transitions.NotSteerable
	default:
		return transitions.OtherRefusal
	}
}

// refused returns the refusal in err, if it is one.
func refused(err error) (*CallError, bool) {
	var refusal *CallError
	ok := errors.As(err, &refusal)
	return refusal, ok
}

// TroubleKind tells apart what an operator has to see to.
type TroubleKind string

// The kinds of trouble.
const (
	// BinaryMissing: the command is not an executable program.
	BinaryMissing TroubleKind = "binary_missing"
	// CannotStart: the process could not be created.
	CannotStart TroubleKind = "cannot_start"
	// ExitedAtOnce: the process ended before it answered.
	ExitedAtOnce TroubleKind = "exited_at_once"
	// NotAnswering: a process is there and does not answer.
	NotAnswering TroubleKind = "not_answering"
	// SocketUnusable: the socket's path can't be used.
	SocketUnusable TroubleKind = "socket_unusable"
	// TooOld: the server's version lacks what the bridge needs.
	TooOld TroubleKind = "too_old"
	// HomeTaken: a server of another desk has Codex's state folder.
	HomeTaken TroubleKind = "home_taken"
)

// Trouble is why Codex cannot be reached, in words for an operator.
type Trouble struct {
	Kind TroubleKind `json:"kind"`
	// What is wrong, as one sentence without its full stop.
	What string `json:"what"`
	// Remedy is what to do about it, likewise.
	Remedy string `json:"remedy"`
	// Err is the cause, if there is one.
	Err error `json:"-"`
}

func (t *Trouble) Error() string {
	text := t.What
	if t.Err != nil {
		text += ": " + t.Err.Error()
	}
	return text + "; " + t.Remedy
}

func (t *Trouble) Unwrap() error { return t.Err }
