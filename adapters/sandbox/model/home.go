package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ConfigTOML is the text of a config.toml that makes Codex use the provider at
// baseURL, ask before it leaves its read-only sandbox, and call nobody else:
// no account, no plugins, no statistics. The extra texts are appended; each
// must begin with a table of its own, such as an [mcp_servers.NAME].
func ConfigTOML(baseURL string, extra ...string) string {
	return fmt.Sprintf(`model = "gpt-5.1"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
plugins = false
apps = false
`, baseURL) + strings.Join(extra, "\n")
}

// WriteHome makes dir a state folder (CODEX_HOME) with that configuration and
// creates it where it is missing. Codex does not work properly with a state
// folder under the system's temporary folder: dir must lie elsewhere.
func WriteHome(dir, baseURL string, extra ...string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("model: Codex's state folder: %w", err)
	}
	path := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(path, []byte(ConfigTOML(baseURL, extra...)), 0o600); err != nil {
		return fmt.Errorf("model: Codex's configuration: %w", err)
	}
	return nil
}
