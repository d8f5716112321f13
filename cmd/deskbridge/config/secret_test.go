package config

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestTheSecretIsNeverPrinted holds for the ways in which a value ends up in a
// log or an error by accident, on its own and inside the configuration.
func TestTheSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const hidden = "hush-hush"
	secret := Secret(hidden)
	c := Default()
	c.Feishu.AppSecret, c.Codex.Token = secret, secret
	var text, json bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("x", "secret", secret, "pointer", &secret, "all", c)
	slog.New(slog.NewJSONHandler(&json, nil)).Info("x", "secret", secret, "pointer", &secret)
	for how, got := range map[string]string{
		"%v": fmt.Sprintf("%v", secret), "%+v": fmt.Sprintf("%+v", secret), "%s": fmt.Sprintf("%s!", secret),
		"%q": fmt.Sprintf("%q", secret), "%x": fmt.Sprintf("%x", secret), "Sprint": fmt.Sprint(secret),
		"%v of all": fmt.Sprintf("%v", c), "%+v of all": fmt.Sprintf("%+v", c), "%v of a pointer": fmt.Sprintf("%v", &c),
		"an error": fmt.Errorf("x: %v %v", c.Feishu, c.Codex).Error(), "slog": text.String(), "slog as JSON": json.String(),
	} {
		if strings.Contains(got, hidden) || strings.Contains(got, fmt.Sprintf("%x", hidden)) {
			t.Errorf("%s: %s", how, got)
		}
	}
	if !strings.Contains(text.String(), "secret=[secret]") {
		t.Errorf("what is hidden does not show as hidden: %s", text.String())
	}
}
