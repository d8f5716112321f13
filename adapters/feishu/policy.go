package feishu

import (
	"slices"
	"time"
)

// Action is what the sender does about an answer.
type Action string

// The actions.
const (
	// Settle: what was asked for is done.
	Settle Action = "settle"
	// Retry: it is asked for again, until all its tries are used up.
	Retry Action = "retry"
	// Shorten: it is said in a poorer form; of a text, a smaller part.
	Shorten Action = "shorten"
	// GiveUp: it is not asked for again.
	GiveUp Action = "give_up"
)

// Step is an action; Tries bounds a Retry: so many attempts are made in all,
// whatever came of those before.
type Step struct {
	Do    Action
	Tries int
}

// Row says what answers of one class mean to the sender, by what it asked for.
type Row struct {
	Class Class
	// MayHave says that the request may have taken effect. What may stand in the
	// chat is never given up as failed: it is repeated while the platform recognises
	// its uuid, and looked up after that.
	MayHave bool
	// Delivery is for the parts of a text, Receipt for reactions, Lookup for reading
	// whether a message stands in the chat.
	Delivery, Receipt, Lookup Step
	// Why is one sentence.
	Why string
}

const (
	// aDay is about how many tries a day has, see [Backoff]: what an operator or the
	// platform mends within a day makes no answer fail.
	aDay = 1440
	// aMoment is how often a receipt is tried; it is a courtesy, and soon stale.
	aMoment = 3
)

// policy is the one table of what is done about an answer: [Classify] says the
// class, from the platform's tables of error codes and from what was seen of the
// exchange, and [Backoff] how long a Retry waits, unless the platform asks for more.
var policy = []Row{
	{Done, false, Step{Settle, 0}, Step{Settle, 0}, Step{Settle, 0},
		"The platform's answer names what it made."},
	{Later, false, Step{Retry, aDay}, Step{Retry, aMoment}, Step{Retry, aDay},
		"A limit of frequency passes by itself."},
	{Unreachable, false, Step{Retry, aDay}, Step{Retry, aMoment}, Step{Retry, aDay},
		"A network comes back."},
	{Token, false, Step{Retry, aDay}, Step{Retry, aMoment}, Step{Retry, aDay},
		"The client has fetched a new token already; an operator may have to act."},
	{Credentials, false, Step{Retry, aDay}, Step{Retry, aMoment}, Step{Retry, aDay},
		"An operator has to act, and is told."},
	{TooLong, false, Step{Shorten, 0}, Step{GiveUp, 0}, Step{GiveUp, 0},
		"The platform counts otherwise than we do, or its limit has changed."},
	{Refused, false, Step{GiveUp, 0}, Step{GiveUp, 0}, Step{GiveUp, 0},
		"It would be refused again."},
	{Ambiguous, true, Step{Retry, aDay}, Step{GiveUp, 0}, Step{Retry, aDay},
		"Under the same uuid a repetition makes no second message, and reading harms nothing; a second reaction might."},
}

// Policy returns the table, in the order of [Classes].
func Policy() []Row { return slices.Clone(policy) }

func policyOf(class Class) Row {
	return policy[slices.IndexFunc(policy, func(r Row) bool { return r.Class == class })]
}

// The waits between two attempts.
const (
	backoffMin = 500 * time.Millisecond
	backoffMax = time.Minute
)

// longestWait bounds what the platform may ask us to wait, so that one strange
// header does not hold a message for hours.
const longestWait = 10 * time.Minute

// Backoff is how long to wait after the attempt of that number: it doubles from
// half a second to a minute, and takes up to a fifth off by chance, so that what
// failed together is not tried again together. chance is in [0, 1).
func Backoff(chance func() float64) func(attempt int) time.Duration {
	return func(attempt int) time.Duration {
		d := backoffMax
		if doublings := attempt - 1; doublings < 7 {
			d = min(backoffMax, backoffMin<<doublings)
		}
		return d - time.Duration(chance()*float64(d)/5)
	}
}
