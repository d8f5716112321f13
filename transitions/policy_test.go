package transitions

import (
	"strings"
	"testing"
)

func TestWhatIsNotProvenTighterIsLooser(t *testing.T) {
	t.Parallel()
	asks := Policy{Approval: "on-request", Reviewer: "user", Sandbox: "workspaceWrite", Writable: "/a\n/b"}
	with := func(change func(*Policy)) Policy {
		p := asks
		change(&p)
		return p
	}
	for _, c := range []struct {
		name       string
		is, before Policy
		parts      string
	}{
		{"the same", asks, asks, ""},
		{"nothing was known", with(func(p *Policy) { p.Sandbox = "dangerFullAccess" }), Policy{}, ""},
		{"nothing is known any more", Policy{}, asks, "approval policy, reviewer, sandbox"},
		{"asks less", with(func(p *Policy) { p.Approval = "never" }), asks, "approval policy"},
		{"asks more", with(func(p *Policy) { p.Approval = "untrusted" }), asks, ""},
		{"an order that nobody knows", with(func(p *Policy) { p.Approval = `{"granular":{}}` }), asks, "approval policy"},
		{"a machine decides", with(func(p *Policy) { p.Reviewer = "auto_review" }), asks, "reviewer"},
		{"a person decides again", asks, with(func(p *Policy) { p.Reviewer = "auto_review" }), ""},
		{"no sandbox", with(func(p *Policy) { p.Sandbox = "dangerFullAccess" }), asks, "sandbox"},
		{"a tighter sandbox", with(func(p *Policy) { p.Sandbox, p.Writable = "readOnly", "" }), asks, ""},
		{"another sandbox", with(func(p *Policy) { p.Sandbox = "externalSandbox" }), asks, "sandbox"},
		{"the network", with(func(p *Policy) { p.Network = true }), asks, "network"},
		{"a tighter sandbox with the network", with(func(p *Policy) { p.Sandbox, p.Writable, p.Network = "readOnly", "", true }), asks, "network"},
		{"a sandbox at last", with(func(p *Policy) { p.Network = true }), with(func(p *Policy) { p.Sandbox, p.Writable = "dangerFullAccess", "" }), ""},
		{"no network any more", asks, with(func(p *Policy) { p.Network = true }), ""},
		{"another folder", with(func(p *Policy) { p.Writable = "/a\n/c" }), asks, "writable folders"},
		{"a folder below", with(func(p *Policy) { p.Writable = "/a/x\n/b" }), asks, ""},
		{"a folder beside", with(func(p *Policy) { p.Writable = "/ax" }), asks, "writable folders"},
		{"a folder above", with(func(p *Policy) { p.Writable = "/" }), asks, "writable folders"},
		{"fewer folders", with(func(p *Policy) { p.Writable = "/b" }), asks, ""},
		{"no folders", with(func(p *Policy) { p.Writable = "" }), asks, ""},
	} {
		var parts []string
		for _, l := range c.is.LooserThan(c.before) {
			parts = append(parts, l.Part)
			if l.Was == "" || l.Is == "" {
				t.Errorf("%s: %+v says not what it was, or is", c.name, l)
			}
		}
		if got := strings.Join(parts, ", "); got != c.parts {
			t.Errorf("%s: looser in %q, want %q", c.name, got, c.parts)
		}
	}
}
