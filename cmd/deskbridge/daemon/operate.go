package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"deskbridge/cmd/deskbridge/control"
	"deskbridge/fsm/durable"
	"deskbridge/store"
	"deskbridge/store/retention"
)

// OpPrune is the operation of the control socket that prunes the ledger: it takes
// [PruneParams] and returns a [retention.Report].
const OpPrune = "prune"

// PruneParams say what is to be pruned.
type PruneParams struct {
	OlderThan time.Duration `json:"older_than"`
}

// listen opens the control socket. A desk that cannot have one serves people all the
// same.
func (d *desk) listen() (closeSocket func()) {
	server, err := control.Listen(d.data, map[string]control.Handler{OpPrune: d.prune, OpAllowPolicy: d.allowPolicy, OpCodex: d.codexStatus})
	if err != nil {
		d.log.Error("operators' commands cannot reach this bridge", "err", err)
		return func() {}
	}
	return func() {
		if err := server.Close(); err != nil {
			d.log.Warn("the control socket was not closed", "err", err)
		}
	}
}

// prune finds out beside the loop what may go, and has each conversation cut on it,
// between two commits of the engine.
func (d *desk) prune(ctx context.Context, params json.RawMessage) (any, error) {
	var p PruneParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	report, err := Prune(ctx, d.ledger, p.OlderThan, time.Now(), d.cut)
	if ctx.Err() != nil {
		return nil, errPruning
	}
	if err != nil {
		return nil, err
	}
	d.log.Info("the ledger was pruned", "older_than", p.OlderThan, "conversations", report.Conversations, "entries", report.Removed.Entries)
	return report, nil
}

// errPruning is for a command whose bridge is being stopped while it prunes.
var errPruning = errors.New("the bridge is being stopped, and may have pruned a part; ask again once it has stopped")

// cut prunes on the loop. If that is not waited for to its end, nobody looks at what
// came of it.
func (d *desk) cut(ctx context.Context, c store.Cut) (store.Removed, error) {
	var done struct {
		removed store.Removed
		err     error
	}
	if err := d.loop.Call(ctx, func() { done.removed, done.err = d.ledger.Prune(ctx, c) }); err != nil {
		return store.Removed{}, err
	}
	return done.removed, done.err
}

// Prune prunes what is older than an age, by way of write.
func Prune(ctx context.Context, ledger *store.Ledger, olderThan time.Duration, now time.Time, write func(context.Context, store.Cut) (store.Removed, error)) (retention.Report, error) {
	if err := retention.Allowed(olderThan); err != nil {
		return retention.Report{}, err
	}
	books, err := ledger.Books(ctx)
	if err != nil {
		return retention.Report{}, err
	}
	plan := retention.Of(books, now.Add(-olderThan))
	return plan.Prune(ctx, write)
}

// PruneHere prunes the ledger of a data folder that no daemon writes to. Reach may be
// nil; see [Settings].
func PruneHere(ctx context.Context, dir string, olderThan time.Duration, reach func(durable.Point)) (r retention.Report, err error) {
	ledger, err := store.OpenReaching(ctx, dir, reach)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	return Prune(ctx, ledger, olderThan, time.Now(), ledger.Prune)
}
