package codex

import (
	"slices"
	"testing"
)

// TestTheAgentDoesNotInheritTheBridgesSecrets: the app secret stood in the
// app-server's environment.
func TestTheAgentDoesNotInheritTheBridgesSecrets(t *testing.T) {
	t.Setenv("APP_SECRET", "hush")
	t.Setenv("APP_SECRET_OTHER", "kept")
	s := Server{Home: "/home", Without: []string{"APP_SECRET"}}
	env := s.environment()
	if slices.Contains(env, "APP_SECRET=hush") {
		t.Error("the secret is handed on")
	}
	for _, want := range []string{"APP_SECRET_OTHER=kept", "CODEX_HOME=/home"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
}
