package codex

import (
	"slices"
	"strings"
	"testing"

	"deskbridge/adapters/sandbox/codexbin"
)

func TestTheContractsVerdictOnVersions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		version string
		want    Verdict
	}{
		{"0.136.0", VerdictVerified},
		{"0.155.0", VerdictVerified},
		{"0.171.0", VerdictVerified},
		{"0.171.0+build.7", VerdictUntestedNewer}, // as new as the newest, and another one
		{"0.136.1", VerdictUntestedBetween},
		{"0.144.4", VerdictUntestedBetween},
		{"0.171.0-alpha.3", VerdictUntestedBetween}, // comes before 0.171.0
		{"0.137.0-alpha.1", VerdictUntestedBetween},
		{"0.171.1", VerdictUntestedNewer},
		{"0.172.0-alpha.1", VerdictUntestedNewer},
		{"1.0.0", VerdictUntestedNewer},
		{"0.1000.0", VerdictUntestedNewer},
		{"0.135.9", VerdictBlocked},
		{"0.99.1", VerdictBlocked},
		{"0.0.2504291954", VerdictBlocked},
		{"0.136.0-alpha.2", VerdictBlocked}, // comes before the first that can be used
		{"0.0.0", VerdictUnknown},           // built from source
		{"next", VerdictUnknown},
		{"0.171", VerdictUnknown},
		{"0.171.0.1", VerdictUnknown},
		{"0.171.x", VerdictUnknown},
		{"v0.171.0", VerdictUnknown},
		{"0.171.0-", VerdictUnknown},
		{"-1.0.0", VerdictUnknown},
		{"", VerdictUnknown},
	}
	seen := map[Verdict]bool{}
	for _, test := range tests {
		got := VerdictOn(test.version)
		seen[got] = true
		if got != test.want {
			t.Errorf("%q: %s, want %s", test.version, got, test.want)
		}
	}
	for _, v := range Verdicts() {
		if sentence := v.Sentence("0.1.2"); !seen[v] || !strings.Contains(sentence, "0.1.2") || strings.HasSuffix(sentence, ".") {
			t.Errorf("%s, seen %v: %q", v, seen[v], sentence)
		}
	}
}

// TestVersionsAreOrderedAsSemverSays takes the chain of semver.org, and numbers that are
// no words.
func TestVersionsAreOrderedAsSemverSays(t *testing.T) {
	t.Parallel()
	chain := []string{
		"0.9.0", "0.10.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
		"1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.1.0", "2.0.0",
	}
	for i, a := range chain {
		for j, b := range chain {
			x, _ := parseVersion(a)
			if x.before(b) != (i < j) {
				t.Errorf("%s before %s: %v", a, b, i >= j)
			}
		}
	}
}

func TestEveryVerifiedVersionIsPinned(t *testing.T) {
	t.Parallel()
	var pinned []string
	for _, v := range codexbin.Pinned() {
		pinned = append(pinned, v.Number)
	}
	verified := Verified()
	for i, v := range verified {
		if !slices.Contains(pinned, v) {
			t.Errorf("%s is verified, and no build of it is pinned", v)
		}
		if parsed, ok := parseVersion(v); !ok || i > 0 && !(func() bool { o, _ := parseVersion(verified[i-1]); return o.compare(parsed) < 0 })() {
			t.Errorf("%s is no version, or not behind the one before", v)
		}
	}
	if verified[0] != Minimum || !slices.Contains(verified, Baseline) || Baseline != codexbin.Default {
		t.Errorf("minimum %s, baseline %s, tests with %s; verified are %q", Minimum, Baseline, codexbin.Default, verified)
	}
}

func TestTheServersVersionIsInItsUserAgent(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"deskbridge/0.171.0 (Debian 12.0.0; x86_64) xterm": "0.171.0",
		"deskbridge/0.136.0":             "0.136.0",
		"deskbridge/0.136.0-alpha.2 (x)": "0.136.0-alpha.2",
		"deskbridge/next (x)":            "next",
		"something else":                 "",
		"":                               "",
	} {
		if got := serverVersion(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}
