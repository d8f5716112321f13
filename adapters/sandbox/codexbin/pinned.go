package codexbin

import (
	"slices"
	"strings"
)

// Default is the version used where none is named: the latest one that was
// measured.
const Default = "0.171.0"

// Version is one published Codex version.
type Version struct {
	// Number is the version as `codex --version` says it, such as "0.171.0".
	Number string
	// Integrity is the hash of the packed linux-x64 build as the npm registry
	// lists it (dist.integrity): "sha512-" and the digest in base64.
	Integrity string
}

// Pinned lists the versions that can be fetched, oldest first.
//
//   - 0.136.0 is the oldest supported: the first with client message ids.
//   - 0.155.0 is the first measured with paginated history.
//   - 0.171.0 is the newest measured.
func Pinned() []Version {
	return []Version{
		{"0.136.0", "sha512-Q6yZHRtUWD+27B5yAiOYyPAtM0BzW0Mm23YGaXDmfNEO5BYgHuUT80VDofUpjSyo2+ShYoZQUFVQAsNPKqd+Sw=="},
		{"0.155.0", "sha512-CiXkVTy4ERdFSXXP8n98/iOyVUCOYFPQ8cuwgeOEEbLhe1LnlQbgH/H8ZeuxO9WXKIZLJg0x626UgR9axY2zSA=="},
		{"0.171.0", "sha512-l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw=="},
	}
}

// find returns the pinned version with that number.
func find(pins []Version, number string) (Version, bool) {
	i := slices.IndexFunc(pins, func(v Version) bool { return v.Number == number })
	if i < 0 {
		return Version{}, false
	}
	return pins[i], true
}

// numbers joins the numbers of the pins for an error's remedy.
func numbers(pins []Version) string {
	names := make([]string, len(pins))
	for i, v := range pins {
		names[i] = v.Number
	}
	return strings.Join(names, ", ")
}
