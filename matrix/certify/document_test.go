package certify

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/codexbin"
	"deskbridge/golden"
	"deskbridge/matrix"
)

// TestTheDocumentIsWhatWasRecorded holds docs/compatibility.md to the recorded
// results, and these to the declared gaps; -update writes it.
func TestTheDocumentIsWhatWasRecorded(t *testing.T) {
	t.Parallel()
	var all []result
	var missing []string
	for _, v := range codexbin.Pinned() {
		r, ok := recorded(t, v.Number)
		if !ok {
			missing = append(missing, v.Number)
			continue
		}
		for _, c := range capabilities {
			want := works
			if _, ok := declared(v.Number, c.name); ok {
				want = hasGap
			}
			if got := r.Results[c.name]; got != want {
				t.Errorf("%s, %s: recorded is %q, declared %q", v.Number, c.name, got, want)
			}
		}
		if len(r.Results) != len(capabilities) {
			t.Errorf("%s has results of %d capabilities, and there are %d", v.Number, len(r.Results), len(capabilities))
		}
		all = append(all, r)
	}
	for _, v := range tested {
		if slices.Contains(missing, v) {
			t.Errorf("nothing is recorded of %s: run `make certify VERSIONS=%s`", v, v)
		}
	}
	golden.Check(t, "../docs/compatibility.md", document(all, missing))
}

// recorded is what is recorded of a version.
func recorded(t *testing.T, version string) (r result, ok bool) {
	t.Helper()
	root, err := matrix.Root()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(root, "golden", "certify", version+".json"))
	if os.IsNotExist(err) {
		return result{}, false
	}
	must(t, err)
	must(t, json.Unmarshal(text, &r))
	return r, true
}

// document is docs/compatibility.md.
func document(all []result, missing []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Codex versions

<!-- Written by go test ./matrix/certify -update from golden/certify; do not edit. -->

Each version was run: the real binary from npm behind a scripted model, and the bridge's own client in front of it, over the
real unix socket. The versions are the last patch of every minor version from 0.136 on that npm has, and the three that the
tests run (**bold**). `+"`make certify VERSIONS=all`"+` does it again; a version that no longer does what stands here fails it.

- ✓ works
- a number: a gap, which is declared, and was found to be just so; the reason is below
- ✗ fails

| version |`)
	for _, c := range capabilities {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n|---|" + strings.Repeat(":-:|", len(capabilities)) + "\n")
	for _, r := range slices.Backward(all) {
		name := r.Version
		if slices.Contains(tested, name) {
			name = "**" + name + "**"
		}
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range capabilities {
			fmt.Fprintf(&b, " %s |", mark(r, c.name))
		}
		b.WriteString("\n")
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "\nNo result is recorded of: %s.\n", strings.Join(missing, ", "))
	}
	b.WriteString("\n## Gaps\n\n")
	for i, g := range gaps {
		fmt.Fprintf(&b, "%d. **%s**, 0.%d to 0.%d: %s.\n", i+1, g.capability, g.from, g.to, g.why)
	}
	b.WriteString("\n## What is tried\n\n| capability | where it works |\n|---|---|\n")
	for _, c := range capabilities {
		fmt.Fprintf(&b, "| %s | %s |\n", c.name, c.means)
	}
	b.WriteString(remarks)
	return b.String()
}

// mark is a cell of the table.
func mark(r result, capability string) string {
	switch r.Results[capability] {
	case works:
		return "✓"
	case hasGap:
		return fmt.Sprint(1 + slices.IndexFunc(gaps, func(g gap) bool {
			return g.covers(r.Version, capability)
		}))
	default:
		return "✗"
	}
}

const remarks = `
## What is real, and what is not

- *overload* is the server's own: 128 calls wait inside it, and it answers those beyond with ` + "`-32001`" + `. A thousand calls at once
  provoke that in every version.
- *lost thread* is one whose server died before its first turn was stored; of *lost files* the folder ` + "`sessions`" + ` was removed.
- A version without a row is not known to work. Older ones than 0.136.0 cannot: they have no client message ids.
`
