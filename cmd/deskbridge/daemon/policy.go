package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	t "deskbridge/transitions"
)

// OpAllowPolicy is the operation of the control socket by which an operator lets a
// track go on that is closed for a looser policy: it takes [AllowPolicyParams] and
// returns nothing.
const OpAllowPolicy = "allow_policy"

// AllowPolicyParams say what is allowed.
type AllowPolicyParams struct {
	Track string `json:"track"`
	// Policy is what the operator has seen; no other is allowed by that.
	Policy t.Policy `json:"policy"`
}

// allowPolicy has the bridge take down what an operator allows.
func (d *desk) allowPolicy(ctx context.Context, params json.RawMessage) (any, error) {
	var p AllowPolicyParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	committed := make(chan error, 1)
	if err := d.loop.Call(ctx, func() { d.bridge.AllowPolicy(p.Track, p.Policy, func(err error) { committed <- err }) }); err != nil {
		return nil, err
	}
	select {
	case err := <-committed:
		return struct{}{}, err
	case <-ctx.Done():
		return nil, fmt.Errorf("the bridge is being stopped; look with `deskbridge policy` whether it took the answer")
	}
}

// AllowPolicy lets a track run under the looser policy for which it is closed. Done is
// called with nil once that is durable.
func (b *Bridge) AllowPolicy(track string, p t.Policy, done func(error)) {
	found, closed := b.found[track]
	switch {
	case !closed:
		done(fmt.Errorf("%s is not closed for a looser policy; `deskbridge policy` lists what is", track))
	case found == t.Policy{}:
		done(fmt.Errorf("what %s would run under is not reported, which cannot be allowed", track))
	case found != p:
		done(fmt.Errorf("another policy is reported for %s by now; look again with `deskbridge policy`", track))
	default:
		b.parts.Log.Warn("an operator lets Codex run a thread under a looser policy than before", "track", track, "sandbox", p.Sandbox, "approval", p.Approval)
		b.engine.Submit(track, t.TrackOpened{Why: t.ClosedByPolicy, Policy: p}, done)
	}
}
