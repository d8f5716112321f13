package appserver

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// The normalisations under which recorded and replayed frames must be equal.
// Everything else, the order of frames within a lane included, is compared as
// it is.
var (
	// Ids are numbered by their first appearance in a lane, wherever they stand:
	// in error texts and cursors too.
	uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// A cursor's ordinal counts lines of a file that is not modelled.
	ordinal = regexp.MustCompile(`"rolloutOrdinal":\d+`)
	// The system in the user agent is the recording machine's.
	system = regexp.MustCompile(`^([^ ]+) .*\(([^()]*)\)$`)
)

// times are compared only as being set or null.
var times = map[string]bool{
	"createdAt": true, "updatedAt": true, "recencyAt": true, "startedAt": true, "completedAt": true,
	"startedAtMs": true, "completedAtMs": true, "emittedAtMs": true, "durationMs": true,
}

// masked are members that are compared only as being there.
var masked = map[string]bool{
	"path":             true, // holds the date of the recording
	"processId":        true, // of the recording machine
	"aggregatedOutput": true, // of the recording machine's shell; null for none
}

// modelItem are the members that may hold the id of something that the model
// said or did; the recording's model numbered them over all recordings.
var modelItem = regexp.MustCompile(`^(msg|call)_\w+$`)

// normaliser numbers ids over one lane.
type normaliser struct{ ids map[string]string }

// value normalises what stands under a name.
func (n normaliser) value(name string, value any) any {
	if masked[name] {
		return "<" + name + ">"
	}
	switch v := value.(type) {
	case map[string]any:
		normal := map[string]any{}
		// In the order of the names, so that ids are numbered the same way.
		for _, member := range slices.Sorted(maps.Keys(v)) {
			normal[member] = n.value(member, v[member])
		}
		return normal
	case []any:
		normal := make([]any, len(v))
		for i := range v {
			normal[i] = n.value(name, v[i])
		}
		return normal
	case float64:
		if times[name] {
			return "<time>"
		}
		return v
	case string:
		return n.text(name, v)
	default:
		return v
	}
}

func (n normaliser) text(name, text string) string {
	switch {
	case name == "userAgent":
		return system.ReplaceAllString(text, "$1 <system> ($2)")
	case modelItem.MatchString(text):
		return n.number("item", text)
	}
	text = ordinal.ReplaceAllString(text, `"rolloutOrdinal":<n>`)
	return uuid.ReplaceAllStringFunc(text, func(id string) string { return n.number("id", id) })
}

// number is the name of an id by its first appearance.
func (n normaliser) number(kind, id string) string {
	if _, ok := n.ids[id]; !ok {
		n.ids[id] = fmt.Sprintf("<%s %d>", kind, len(n.ids)+1)
	}
	return n.ids[id]
}
