package config

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// leastSettle keeps two reads that are to prove an absence apart: what a server
// has just begun may not show for some tenths of a second.
const leastSettle = time.Second

// longestSocket is what the system takes as the path of a unix socket, in bytes.
const longestSocket = 107

// check demands what has no default, and values that mean something.
func (c *Config) check(o origins) error {
	for _, required := range []struct{ key, value, how string }{
		{"feishu.app_id", c.Feishu.AppID, "is missing; it stands on the app's page of the Feishu developer console, as cli_…"},
		{"feishu.app_secret", string(c.Feishu.AppSecret), `is missing; write where it is: "env:NAME" or "file:PATH"`},
		{"codex.workdir", c.Codex.Workdir, "is missing; it is the folder that Codex works in"},
	} {
		if required.value == "" {
			return o.fault(required.key, required.how)
		}
	}
	for _, choice := range []struct {
		key, value string
		of         []string
	}{
		{"desk.language", c.Desk.Language, []string{"zh", "en"}},
		{"codex.transport", c.Codex.Transport, []string{"unix", "ws", "stdio"}},
		{"codex.approval_policy", c.Codex.ApprovalPolicy, []string{"", "untrusted", "on-request", "never"}},
		{"codex.sandbox", c.Codex.Sandbox, []string{"", "read-only", "workspace-write", "danger-full-access"}},
		{"feishu.group_mode", c.Feishu.GroupMode, []string{"mention", "all"}},
	} {
		if !slices.Contains(choice.of, choice.value) {
			return o.fault(choice.key, "must be "+strings.Join(slices.DeleteFunc(choice.of, func(s string) bool { return s == "" }), " or ")+", not "+choice.value)
		}
	}
	if err := c.checkEndpoint(o); err != nil {
		return err
	}
	if u, err := url.Parse(c.Feishu.BaseURL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return o.fault("feishu.base_url", "must be an address such as https://open.feishu.cn")
	}
	if info, err := os.Stat(c.Codex.Workdir); err != nil || !info.IsDir() {
		return o.fault("codex.workdir", "is no folder: "+c.Codex.Workdir)
	}
	for _, root := range c.Codex.Roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			return o.fault("codex.roots", "names what is no folder: "+root)
		}
	}
	if len(c.Socket()) > longestSocket {
		return o.fault("desk.data", fmt.Sprintf("is too long: the app-server's socket in it may have %d bytes, not %d", longestSocket, len(c.Socket())))
	}
	for _, limit := range []struct {
		key          string
		value, least time.Duration
	}{
		{"limits.stale", c.Limits.Stale.Duration, time.Second},
		{"limits.unreachable", c.Limits.Unreachable.Duration, time.Second},
		{"limits.turn_idle", c.Limits.TurnIdle.Duration, time.Second},
		{"limits.settle", c.Limits.Settle.Duration, leastSettle},
	} {
		if limit.value < limit.least {
			return o.fault(limit.key, "must be at least "+limit.least.String())
		}
	}
	return nil
}

// checkEndpoint demands an address of the app-server where there must be one, and
// nowhere else. Whatever is in it may be logged, so that no secret may be.
func (c *Config) checkEndpoint(o origins) error {
	if c.Codex.Transport != "ws" {
		for key, value := range map[string]string{"codex.endpoint": c.Codex.Endpoint, "codex.token": string(c.Codex.Token)} {
			if value != "" {
				return o.fault(key, "is for transport ws only, and the transport is "+c.Codex.Transport)
			}
		}
		return nil
	}
	if c.Codex.Endpoint == "" {
		return o.fault("codex.endpoint", "is missing; with transport ws it is where the app-server listens, such as ws://127.0.0.1:4500")
	}
	u, err := url.Parse(c.Codex.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return o.fault("codex.endpoint", "must be an address such as ws://127.0.0.1:4500 or wss://codex.example.com, without a name, a password or a query")
	}
	return nil
}
