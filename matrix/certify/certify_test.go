package certify

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"deskbridge/adapters/codex"
	"deskbridge/golden"
)

// gap is a declared deviation of the versions in a range of minor versions.
type gap struct {
	capability string
	deviates   deviation
	from, to   int
	// why says what the versions do and why the bridge can live with it.
	why string
}

var gaps = []gap{
	{"start while active", phantomID, 136, 147,
		"the answer carries the id of a turn that never begins; the text is in the turn that was active, whose items prove it"},
	{"steer at once", afterAnswer, 136, 161,
		"the answer that is under way is finished first, and is part of the turn's reply; the item of the steer comes after it"},
	{"second interrupt", unanswered, 136, 168,
		"it is never answered; the call is given up after its time (`InterruptTimeout`), the connection stays, and the turn's end decides"},
}

// tested are the versions that continuous integration runs.
var tested = []string{"0.136.0", "0.155.0", "0.171.0"}

func (g gap) covers(version, capability string) bool {
	return g.capability == capability && g.from <= minor(version) && minor(version) <= g.to
}

// minor is the middle number of a version.
func minor(version string) int {
	parts := strings.Split(version, ".")
	if len(parts) < 2 {
		return 0
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0
	}
	return n
}

// declared is the gap of a version in a capability, if one is declared.
func declared(version, capability string) (gap, bool) {
	i := slices.IndexFunc(gaps, func(g gap) bool { return g.covers(version, capability) })
	if i < 0 {
		return gap{}, false
	}
	return gaps[i], true
}

// The results of a capability.
const (
	works  = "works"
	fails  = "fails"
	hasGap = "gap"
)

// result is how a version did.
type result struct {
	Version string            `json:"version"`
	Results map[string]string `json:"results"` // by capability
}

// TestVersions runs the chosen versions through all capabilities, and holds what
// comes out to what is recorded of the version; -update records it.
func TestVersions(t *testing.T) {
	for _, version := range chosen() {
		t.Run(version, func(t *testing.T) {
			got := result{Version: version, Results: map[string]string{}}
			t.Run("capabilities", func(t *testing.T) {
				server := newServer(t, version, script)
				var mu sync.Mutex // of got.Results
				for _, c := range capabilities {
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						outcome := fails
						defer func() {
							mu.Lock()
							defer mu.Unlock()
							got.Results[c.name] = outcome
						}()
						outcome = certify(t, c, version, server)
					})
				}
			})
			if len(got.Results) < len(capabilities) {
				return // -run chose some
			}
			text, err := json.MarshalIndent(got, "", "  ")
			must(t, err)
			golden.Check(t, "certify/"+version+".json", string(text)+"\n")
		})
	}
}

// certify tries a capability and says how it did.
func certify(t *testing.T, c capability, version string, server *codex.Server) string {
	if c.own {
		server = newServer(t, version, script)
	}
	g, expected := declared(version, c.name)
	try := &trial{T: t, server: server, limit: patience / 2}
	if expected {
		try.limit = silence
	}
	c.try(try)
	switch {
	case t.Failed():
	case try.deviates == g.deviates && expected:
		t.Logf("gap: %s", g.why)
		return hasGap
	case try.deviates != noDeviation:
		t.Errorf("Codex %s deviates (%s), which nobody has declared", version, try.deviates)
	case expected:
		t.Errorf("Codex %s works, though a gap is declared: %s", version, g.why)
	default:
		return works
	}
	return fails
}
