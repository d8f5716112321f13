package config

import (
	"net/url"
	"os"
	"slices"
	"strings"
)

// check demands what has no default, and values that mean something.
func (c *Config) check(where string) error {
	for _, required := range []struct{ key, value, how string }{
		{"feishu.app_id", c.Feishu.AppID, "is missing; it stands on the app's page of the Feishu developer console, as cli_…"},
		{"feishu.app_secret", string(c.Feishu.AppSecret), `is missing; write where it is: "env:NAME" or "file:PATH"`},
		{"codex.workdir", c.Codex.Workdir, "is missing; it is the folder that Codex works in"},
	} {
		if required.value == "" {
			return &Error{Where: where, Key: required.key, Problem: required.how}
		}
	}
	for _, choice := range []struct {
		key, value string
		of         []string
	}{
		{"desk.language", c.Desk.Language, []string{"zh", "en"}},
		{"codex.transport", c.Codex.Transport, []string{"unix"}},
		{"feishu.group_mode", c.Feishu.GroupMode, []string{"mention", "all"}},
	} {
		if !slices.Contains(choice.of, choice.value) {
			return &Error{Where: where, Key: choice.key, Problem: "must be " + strings.Join(choice.of, " or ") + ", not " + choice.value}
		}
	}
	if u, err := url.Parse(c.Feishu.BaseURL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return &Error{Where: where, Key: "feishu.base_url", Problem: "must be an address such as https://open.feishu.cn"}
	}
	if info, err := os.Stat(c.Codex.Workdir); err != nil || !info.IsDir() {
		return &Error{Where: where, Key: "codex.workdir", Problem: "is no folder: " + c.Codex.Workdir}
	}
	return nil
}
