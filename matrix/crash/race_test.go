//go:build race

package crash_test

// The race detector watches the harness only, since the bridge is another process, and
// makes the audit several times slower.
const (
	scriptedKills = 50
	realKills     = 8
	leastHits     = 1
)
