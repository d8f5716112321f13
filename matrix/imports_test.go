package matrix

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "deskbridge/"

// mayImport says for each folder which others of ours it may import; the
// longest matching folder counts, and a folder may always import itself.
var mayImport = map[string][]string{
	"fsm":              {},
	"transitions":      {"fsm"},
	"store":            {"fsm", "transitions"},
	"adapters/sched":   {},
	"adapters/codex":   {"transitions", "adapters/sched"},
	"adapters/feishu":  {"transitions", "adapters/sched"},
	"adapters/sandbox": {"adapters/sched"},
	"cmd/fsmdoc":       {"fsm", "transitions"},
	"cmd/fetchcodex":   {"adapters/sandbox"},
	"cmd/deskbridge":   {"fsm", "transitions", "store", "adapters", "cmd/deskbridge"},
	"golden":           {},
	"matrix":           {"fsm", "transitions", "store", "adapters", "cmd", "golden"},
}

// onlyIn says which packages of others are imported in one place only, and why
// is said in that place.
var onlyIn = map[string][]string{
	"github.com/looplab/fsm":                            {"fsm"},
	"github.com/mattn/go-sqlite3":                       {"store"},
	"github.com/larksuite/oapi-sdk-go/v3/ws":            {"adapters/feishu/feishuws"},
	"github.com/larksuite/oapi-sdk-go/v3/event":         {"adapters/feishu/feishuws"},
	"github.com/larksuite/oapi-sdk-go/v3":               {"adapters/feishu"},
	"github.com/spf13/cobra":                            {"cmd/deskbridge"},
	"github.com/larksuite/oapi-sdk-go/v3/service/im/v1": {"adapters/feishu"},
}

// TestImportsPointOneWay holds the dependencies to the table of docs/design.md.
func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "deskbridge/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := packages.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		from := strings.TrimPrefix(p.ImportPath, module)
		folder := longest(from, mayImport)
		if folder == "" {
			t.Errorf("%s belongs to no folder of the table", from)
			continue
		}
		for _, imported := range p.Imports {
			checkImport(t, from, folder, imported)
		}
	}
	if seen < len(mayImport) {
		t.Fatalf("only %d packages were looked at", seen)
	}
}

func checkImport(t *testing.T, from, folder, imported string) {
	t.Helper()
	if to, ours := strings.CutPrefix(imported, module); ours {
		allowed := append([]string{folder}, mayImport[folder]...)
		if !slices.ContainsFunc(allowed, func(a string) bool { return within(to, a) }) {
			t.Errorf("%s imports %s, which %s may not", from, to, folder)
		}
		return
	}
	if place := longest(imported, onlyIn); place != "" {
		if !slices.ContainsFunc(onlyIn[place], func(a string) bool { return within(from, a) }) {
			t.Errorf("%s imports %s, which only %v may", from, imported, onlyIn[place])
		}
	}
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// longest returns the longest key that the path is within.
func longest(path string, table map[string][]string) string {
	var found string
	for key := range table {
		if within(path, key) && len(key) > len(found) {
			found = key
		}
	}
	return found
}
