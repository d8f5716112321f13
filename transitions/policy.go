package transitions

import (
	"cmp"
	"slices"
	"strings"
)

// Policy is what the app-server reports a thread to run under: in the answers of
// thread/start and thread/resume. It is comparable; the zero value is one that is not
// known.
type Policy struct {
	// Approval is approvalPolicy: a word of the protocol, or the JSON of an object.
	Approval string `json:"approval,omitempty"`
	// Reviewer is approvalsReviewer: who is asked; user, or a word for a machine.
	Reviewer string `json:"reviewer,omitempty"`
	// Sandbox is the sandbox's type: readOnly, workspaceWrite, dangerFullAccess, or
	// another.
	Sandbox string `json:"sandbox,omitempty"`
	// Network says that commands in the sandbox may use the network.
	Network bool `json:"network,omitempty"`
	// Writable are the folders that may be written in a workspaceWrite sandbox, one a
	// line, sorted.
	Writable string `json:"writable,omitempty"`
}

// approvals and sandboxes are the words whose order is known, the tightest first.
var (
	approvals = []string{"untrusted", "on-request", "on-failure", "never"}
	sandboxes = []string{"readOnly", "workspaceWrite", fullAccess}
)

// fullAccess is no sandbox at all, so that the network is open too.
const fullAccess = "dangerFullAccess"

// reviewedByPeople is the reviewer that is a person.
const reviewedByPeople = "user"

// Looser is a part of a policy that allows more than it did, and what it was and is.
type Looser struct {
	Part, Was, Is string
}

// LooserThan lists the parts of the policy that allow more than they did, or may: what
// cannot be compared counts as looser, for nothing proves that it is not. Nothing is
// looser than a policy that is not known.
func (p Policy) LooserThan(before Policy) (parts []Looser) {
	if before == (Policy{}) {
		return nil
	}
	add := func(part string, looser bool, was, is string) {
		if looser {
			parts = append(parts, Looser{part, cmp.Or(was, "not known"), cmp.Or(is, "not known")})
		}
	}
	add("approval policy", ranksAfter(approvals, p.Approval, before.Approval), before.Approval, p.Approval)
	add("reviewer", p.Reviewer != before.Reviewer && p.Reviewer != reviewedByPeople, before.Reviewer, p.Reviewer)
	if ranksAfter(sandboxes, p.Sandbox, before.Sandbox) {
		add("sandbox", true, before.Sandbox, p.Sandbox)
		return parts // of which the rest follows
	}
	add("network", p.Network && !before.Network && before.Sandbox != fullAccess, "closed", "open")
	if p.Sandbox == before.Sandbox {
		add("writable folders", !within(p.Writable, before.Writable), before.Writable, p.Writable)
	}
	return parts
}

// ranksAfter says that a word is not proven to be at most as loose as the one before.
func ranksAfter(order []string, is, was string) bool {
	if is == was {
		return false
	}
	i, j := slices.Index(order, is), slices.Index(order, was)
	return i < 0 || j < 0 || i > j
}

// within says that each folder of the one list is one of the other, or below one.
func within(list, of string) bool {
	allowed := strings.Split(of, "\n")
	for folder := range strings.SplitSeq(list, "\n") {
		if folder != "" && !slices.ContainsFunc(allowed, func(root string) bool {
			return root != "" && (folder == root || strings.HasPrefix(folder, strings.TrimSuffix(root, "/")+"/"))
		}) {
			return false
		}
	}
	return true
}
