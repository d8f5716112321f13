package codex

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	// Baseline is the version that the bridge's recordings are of.
	Baseline = "0.171.0"
	// Minimum is the oldest version that is used: the first with client message ids.
	// An older one silently ignores them, so that nothing sent to it could ever be
	// proven.
	Minimum = "0.136.0"
)

// Verified lists the versions that the bridge is tested with, oldest first: those of
// docs/compatibility.md, but for 0.142 to 0.145, in which an interrupt that was never
// answered has been seen to end the next turn.
func Verified() []string {
	return []string{
		"0.136.0", "0.137.0", "0.138.0", "0.139.0", "0.140.0", "0.141.0", "0.146.1", "0.147.0", "0.148.0", "0.149.1",
		"0.150.1", "0.151.0", "0.152.1", "0.153.4", "0.154.0", "0.155.0", "0.155.1", "0.156.1", "0.157.1", "0.158.0",
		"0.159.3", "0.160.1", "0.161.0", "0.162.1", "0.163.0", "0.164.0", "0.165.0", "0.166.0", "0.167.2", "0.168.0",
		"0.169.0", "0.171.0",
	}
}

// Verdict is what the contract says of a version of Codex.
type Verdict string

// The verdicts.
const (
	// VerdictVerified: the bridge is tested with it.
	VerdictVerified Verdict = "verified"
	// VerdictUntestedBetween: it is not, but with older and newer ones. It is used.
	VerdictUntestedBetween Verdict = "untested_between"
	// VerdictUntestedNewer: it is newer than all that the bridge is tested with. It is
	// used.
	VerdictUntestedNewer Verdict = "untested_newer"
	// VerdictUnknown: it is not said, or in no known way; so it is for a Codex that
	// somebody built, which calls itself 0.0.0. It is used.
	VerdictUnknown Verdict = "unknown"
	// VerdictBlocked: it is older than [Minimum]. It is neither started nor talked to.
	VerdictBlocked Verdict = "blocked"
)

// Verdicts lists all verdicts.
func Verdicts() []Verdict {
	return []Verdict{VerdictVerified, VerdictUntestedBetween, VerdictUntestedNewer, VerdictUnknown, VerdictBlocked}
}

// VerdictOn is the contract's verdict on a version such as "0.171.0" or
// "0.172.0-alpha.1".
func VerdictOn(version string) Verdict {
	verified := Verified()
	v, known := parseVersion(version)
	switch {
	case !known:
		return VerdictUnknown
	case slices.Contains(verified, version):
		return VerdictVerified
	case v.before(Minimum):
		return VerdictBlocked
	case v.before(verified[len(verified)-1]):
		return VerdictUntestedBetween
	default:
		return VerdictUntestedNewer
	}
}

// Sentence says the verdict on a version to an operator, without a full stop.
func (v Verdict) Sentence(version string) string {
	verified := Verified()
	newest := verified[len(verified)-1]
	switch v {
	case VerdictVerified:
		return "the bridge is tested with Codex " + version
	case VerdictUntestedBetween:
		return fmt.Sprintf("the bridge is not tested with Codex %s, but with others between %s and %s; it is used all the same", version, verified[0], newest)
	case VerdictUntestedNewer:
		return fmt.Sprintf("Codex %s is newer than what the bridge is tested with (up to %s); it is used all the same", version, newest)
	case VerdictBlocked:
		return fmt.Sprintf("Codex %s is too old for the bridge, which needs %s or newer", version, Minimum)
	default:
		return fmt.Sprintf("Codex calls its version %q, which says nothing about what it can do; it is used all the same", version)
	}
}

// version is a version in parts that can be compared.
type version struct {
	numbers [3]uint64
	// pre are the parts of what stands behind a hyphen: such a version comes before
	// the one without.
	pre []string
}

// parseVersion reads a version. Three numbers are needed, and 0.0.0 is a version of
// nothing: what is built from source calls itself so.
func parseVersion(text string) (v version, ok bool) {
	text, _, _ = strings.Cut(text, "+") // what was built when orders nothing
	release, pre, hasPre := strings.Cut(text, "-")
	parts := strings.Split(release, ".")
	if len(parts) != len(v.numbers) || hasPre && pre == "" {
		return version{}, false
	}
	for i, part := range parts {
		number, err := strconv.ParseUint(part, 10, 63)
		if err != nil {
			return version{}, false
		}
		v.numbers[i] = number
	}
	if hasPre {
		v.pre = strings.Split(pre, ".")
	}
	return v, v.numbers != [3]uint64{}
}

// before reports whether the version comes before one that can be read.
func (v version) before(other string) bool {
	o, ok := parseVersion(other)
	return ok && v.compare(o) < 0
}

// compare orders versions as semver.org does.
func (v version) compare(o version) int {
	if c := slices.Compare(v.numbers[:], o.numbers[:]); c != 0 {
		return c
	}
	if len(v.pre) == 0 || len(o.pre) == 0 {
		return cmp.Compare(len(o.pre), len(v.pre))
	}
	return slices.CompareFunc(v.pre, o.pre, comparePre)
}

// comparePre orders parts of a pre-release: numbers by their value, and before words.
func comparePre(a, b string) int {
	x, errX := strconv.ParseUint(a, 10, 63)
	y, errY := strconv.ParseUint(b, 10, 63)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// serverVersion finds the version in a userAgent such as
// "deskbridge/0.171.0 (Debian 12.0.0; x86_64) …". It is empty where there is none.
func serverVersion(userAgent string) string {
	_, rest, _ := strings.Cut(userAgent, "/")
	version, _, _ := strings.Cut(rest, " ")
	return version
}
