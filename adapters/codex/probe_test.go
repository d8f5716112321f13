package codex

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/codexbin"
	"deskbridge/adapters/sandbox/model"

	"github.com/google/go-cmp/cmp"
)

func TestWhatAProgramSaysIsUnderstoodOrUnknown(t *testing.T) {
	t.Parallel()
	versions := map[said]string{
		{"codex-cli 0.171.0\n", 0}:                         "0.171.0",
		{"codex-cli 0.172.0-alpha.1\n", 0}:                 "0.172.0-alpha.1",
		{"WARNING: proceeding, even so\ncodex-cli 1.0", 0}: "1.0",
		{"codex-cli 0.171.0\n", 1}:                         "",
		{"Error: codex is broken\n", 0}:                    "",
		{"codex\n", 0}:                                     "",
		{"", 0}:                                            "",
		{"", -1}:                                           "",
	}
	for s, want := range versions {
		if got := versionSaid(s); got != want {
			t.Errorf("%q: version %q, want %q", s.text, got, want)
		}
	}
	sockets := map[said]Answer{
		{"--listen <URL>\n Supported values: `stdio://` (default), `unix://PATH`", 0}: AnswerYes,
		{"--listen <URL>\n Supported values: `stdio://`, `ws://IP:PORT`", 0}:          AnswerNo,
		{"Options: --help", 0}:  AnswerNo,
		{"--listen unix://", 2}: AnswerUnknown,
		{"", 0}:                 AnswerUnknown,
		{"", -1}:                AnswerUnknown,
	}
	for s, want := range sockets {
		if got := socketsSaid(s); got != want {
			t.Errorf("%q: sockets %q, want %q", s.text, got, want)
		}
	}
	logins := map[said]Answer{
		{"Logged in using an API key - sk-…", 0}: AnswerYes,
		{"Not logged in\n", 1}:                   AnswerNo,
		{"Error: no such folder", 1}:             AnswerUnknown,
		{"Not logged in\n", -1}:                  AnswerUnknown,
		{"unknown command", 2}:                   AnswerUnknown,
	}
	for s, want := range logins {
		if got := loginSaid(s); got != want {
			t.Errorf("%q: logged in %q, want %q", s.text, got, want)
		}
	}
}

func TestAProgramThatIsNotFitIsNotStarted(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"too-old":    "Codex 0.130.0 is installed (PROGRAM), which is too old for the bridge; install 0.136.0 or newer, as `npm install -g @openai/codex` does; the bridge then starts it",
		"no-sockets": "the Codex program PROGRAM has no app-server that listens on a unix socket; install 0.136.0 or newer, as `npm install -g @openai/codex` does; the bridge then starts it",
	}
	for program, want := range tests {
		s := supervised(t, program)
		got := trouble(t, s.Ensure(t.Context()), TooOld)
		if diff := cmp.Diff(want, strings.ReplaceAll(got.Error(), s.Command, "PROGRAM")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := os.Stat(s.Log); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was started: %v", program, err)
		}
	}
}

// TestAProgramThatDoesNotAnswerIsGivenUp: neither it nor what it has started is waited
// for, and what it would have said is unknown.
func TestAProgramThatDoesNotAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	s := supervised(t, "hangs")
	got, err := s.Inquire(t.Context())
	want := Installed{Program: s.Command, Sockets: AnswerUnknown, LoggedIn: AnswerUnknown}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got.unfit() != nil {
		t.Error("a program that says nothing is not to be started")
	}
	other := another(s)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := other.Inquire(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

// TestAProgramIsAskedAgainOnceItIsAnother: an upgrade replaces the file.
func TestAProgramIsAskedAgainOnceItIsAnother(t *testing.T) {
	t.Parallel()
	s := supervised(t, "listens")
	dir := shortFolder(t)
	asked := filepath.Join(dir, "asked")
	install := func(version string) {
		t.Helper()
		next := filepath.Join(dir, "next")
		text := "#!/bin/sh\necho $1 >>" + asked + "\necho codex-cli " + version + "\n"
		if err := errors.Join(os.WriteFile(next, []byte(text), 0o700), os.Rename(next, filepath.Join(dir, "codex"))); err != nil {
			t.Fatal(err)
		}
	}
	s.Command = filepath.Join(dir, "codex")
	for _, version := range []string{"0.155.0", "0.171.0"} {
		install(version)
		for range 3 {
			if got, err := s.Probe(t.Context()); err != nil || got.Version != version {
				t.Errorf("%+v, %v; want %s", got, err, version)
			}
		}
	}
	lines, err := os.ReadFile(asked)
	if err != nil || strings.Count(string(lines), "--version") != 2 {
		t.Errorf("asked %q (%v)", lines, err)
	}
	s.Command = filepath.Join(dir, "gone")
	_, err = s.Probe(t.Context())
	trouble(t, err, BinaryMissing)
}

func TestTheBeginningOfWhatIsSaidIsKept(t *testing.T) {
	t.Parallel()
	var l limited
	for range 3 {
		if n, err := l.Write(make([]byte, maxSaid-1)); n != maxSaid-1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if l.Len() != maxSaid {
		t.Errorf("kept %d bytes", l.Len())
	}
}

// TestTheRealProgramsAnswer asks each verified version, with a model provider of one's
// own and nobody logged in.
func TestTheRealProgramsAnswer(t *testing.T) {
	t.Parallel()
	for _, version := range Verified() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := codexServer(t, model.Echo)
			s.Command = realBinary(t, version)
			got, err := s.Inquire(t.Context())
			want := Installed{Program: s.Command, Version: version, Sockets: AnswerYes, LoggedIn: AnswerNo}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// realBinary is the program of a version.
func realBinary(t *testing.T, version string) string {
	t.Helper()
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := codexbin.Fetch(t.Context(), filepath.Join(root, ".cache", "codex"), version)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
