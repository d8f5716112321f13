package retention

import (
	"context"
	"fmt"
	"time"

	"deskbridge/store"
)

// Report is what came of pruning.
type Report struct {
	// Conversations counts those of which something went.
	Conversations int           `json:"conversations"`
	Removed       store.Removed `json:"removed"`
	Kept          []Kept        `json:"kept,omitempty"`
}

// TooYoungError says that what is asked for would prune what must be kept.
type TooYoungError struct{ OlderThan time.Duration }

func (e *TooYoungError) Error() string {
	return fmt.Sprintf("nothing younger than %s is ever pruned; it was to be %s", Least, e.OlderThan)
}

// Allowed holds that an age is no less than [Least]; otherwise it is a
// [*TooYoungError].
func Allowed(olderThan time.Duration) error {
	if olderThan < Least {
		return &TooYoungError{olderThan}
	}
	return nil
}

// Planned is what would come of pruning.
func (p *Plan) Planned() Report {
	r := Report{Conversations: len(p.Cuts), Kept: p.Kept}
	for i := range p.Cuts {
		r.Removed.Add(p.Cuts[i].Removes())
	}
	return r
}

// Prune has each conversation cut by write, which writes where the ledger is written.
// Each is a transaction of its own, so that nobody who has something to write waits
// for all of them. After an error those before it are pruned, and the report says so.
func (p *Plan) Prune(ctx context.Context, write func(context.Context, store.Cut) (store.Removed, error)) (Report, error) {
	r := Report{Kept: p.Kept}
	for i := range p.Cuts {
		removed, err := write(ctx, p.Cuts[i].Cut)
		if err != nil {
			return r, err
		}
		r.Conversations++
		r.Removed.Add(removed)
	}
	return r, nil
}
