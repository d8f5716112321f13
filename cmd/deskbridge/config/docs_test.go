package config

import (
	"os"
	"strings"
	"testing"
)

// TestEveryKeyIsDocumented holds docs/configuration.md to the keys there are.
func TestEveryKeyIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.Contains(cells[1], ".") {
			continue
		}
		rows++
		key := strings.Trim(cells[1], " `")
		if _, ok := keys()[key]; !ok {
			t.Errorf("docs/configuration.md speaks of %s, which is no key", key)
		}
		if want := "`" + envName(key) + "`"; strings.TrimSpace(cells[5]) != want {
			t.Errorf("docs/configuration.md gives %s the variable %s, not %s", key, cells[5], want)
		}
	}
	if rows != len(keys()) {
		t.Errorf("docs/configuration.md has %d keys, there are %d", rows, len(keys()))
	}
}
