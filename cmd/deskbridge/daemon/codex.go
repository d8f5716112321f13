package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/sched"
)

// replaceLimit is how long an app-server may take to end. It has no turn, but may have
// begun one for another client a moment ago, which it finishes first.
const replaceLimit = time.Minute

// inquire asks the installed Codex about itself, off the loop.
func inquire(ctx context.Context, server *codex.Server, loop *sched.Loop) func(func(codex.Installed, error)) {
	return func(done func(codex.Installed, error)) {
		go func() {
			found, err := server.Inquire(ctx)
			loop.Post(func() { done(found, err) })
		}()
	}
}

// replace ends the app-server of a generation, off the loop.
func replace(ctx context.Context, server *codex.Server, loop *sched.Loop) func(string, func(error)) {
	return func(generation string, done func(error)) {
		go func() {
			limit, cancel := context.WithTimeout(ctx, replaceLimit)
			defer cancel()
			err := server.Replace(limit, generation)
			loop.Post(func() { done(err) })
		}()
	}
}

// OpCodex is the operation of the control socket that tells how things stand with
// Codex: it takes nothing and returns a [codex.Status].
const OpCodex = "codex"

// codexStatus is asked on the loop.
func (d *desk) codexStatus(ctx context.Context, _ json.RawMessage) (any, error) {
	var status codex.Status
	if err := d.loop.Call(ctx, func() { status = d.bridge.codex.Status() }); err != nil {
		return nil, errors.New("the bridge is being stopped")
	}
	if t := status.Trouble; t != nil && t.Err != nil {
		// An error cannot be sent, but what it says can.
		status.Trouble = &codex.Trouble{Kind: t.Kind, What: t.What + ": " + t.Err.Error(), Remedy: t.Remedy}
	}
	return status, nil
}
