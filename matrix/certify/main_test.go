package certify

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"deskbridge/adapters/sandbox/codexbin"
	"deskbridge/matrix"
)

var (
	versions = flag.String("versions", codexbin.Default, "the pinned Codex `versions` to run, with commas between them, or all")
	cache    = flag.String("cache", "", "the `folder` that keeps Codex; empty means .cache/codex of the repository")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// chosen are the versions of the flag.
func chosen() []string {
	if *versions != "all" {
		return strings.Split(*versions, ",")
	}
	var all []string
	for _, v := range codexbin.Pinned() {
		all = append(all, v.Number)
	}
	return all
}

// program is the Codex of a version, which is fetched where it is missing.
func program(tb testing.TB, version string) string {
	tb.Helper()
	dir := *cache
	if dir == "" {
		root, err := matrix.Root()
		if err != nil {
			tb.Fatal(err)
		}
		dir = filepath.Join(root, ".cache", "codex")
	}
	path, err := codexbin.Fetch(tb.Context(), dir, version)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}
