//go:build !race

package crash_test

const (
	// scriptedKills is how often the bridge is killed at random beside a scripted
	// app-server.
	scriptedKills = 300
	// realKills is the same beside the real Codex.
	realKills = 24
	// leastHits is how often each phase must be hit.
	leastHits = 10
)
