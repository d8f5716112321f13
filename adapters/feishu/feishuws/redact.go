package feishuws

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

// redactor is the SDK's logger. It drops what the SDK logs of messages, which is
// all at its debug level, and what could open a connection in our name. What the
// SDK says of each try to reconnect goes to our debug level: [Status] tells an
// operator what changes.
type redactor struct {
	log    *slog.Logger
	secret string // the app's
}

// Debug drops the line.
func (redactor) Debug(context.Context, ...any) {}

// Info logs at debug level.
func (r redactor) Info(ctx context.Context, args ...any) { r.write(ctx, slog.LevelDebug, args) }

// Warn logs at debug level.
func (r redactor) Warn(ctx context.Context, args ...any) { r.write(ctx, slog.LevelDebug, args) }

// Error logs at error level: an event that was not handled.
func (r redactor) Error(ctx context.Context, args ...any) { r.write(ctx, slog.LevelError, args) }

func (r redactor) write(ctx context.Context, level slog.Level, args []any) {
	line := strings.TrimSuffix(fmt.Sprintln(args...), "\n")
	r.log.Log(ctx, level, "feishu long connection", "sdk", r.redact(line))
}

var (
	// query is everything behind the question mark of an address.
	query = regexp.MustCompile(`((?:https?|wss?)://[^\s"'?]*)\?[^\s"']*`)
	// parameter catches what is left where an address is not whole.
	parameter = regexp.MustCompile(`(?i)\b(access_key|ticket|app_?secret)(["']?\s*[=:]\s*["']?)[^&\s"',}]+`)
)

// redact takes the queries of addresses and the app's secret out of a text.
func (r redactor) redact(text string) string {
	text = query.ReplaceAllString(text, "$1?[redacted]")
	text = parameter.ReplaceAllString(text, "$1$2[redacted]")
	if r.secret != "" {
		text = strings.ReplaceAll(text, r.secret, "[redacted]")
	}
	return text
}
