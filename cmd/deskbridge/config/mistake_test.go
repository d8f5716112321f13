package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestATimeSpanIsNeverABareNumber(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"5", "0", "-5"} {
		if c, err := Load(write(t, least+"[limits]\nsettle = "+v), nil); err == nil {
			t.Errorf("settle = %s is taken for %d nanoseconds", v, c.Limits.Settle.Duration)
		}
	}
}

func TestTheSecretIsNotPrintedAsGoJSONOrTOML(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Feishu.AppSecret = "hush-hush"
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", c)
	b, _ := json.Marshal(c)
	for _, got := range []string{fmt.Sprintf("%#v", c.Feishu.AppSecret), fmt.Sprintf("%#v", c), string(b), log.String()} {
		if strings.Contains(got, "hush") {
			t.Errorf("%s", got)
		}
	}
}

func TestAValueFromTheEnvironmentIsBlamedOnTheEnvironment(t *testing.T) {
	t.Parallel()
	_, err := Load(write(t, least), []string{"DESK_DESK_LANGUAGE=fr"})
	refused(t, err, "environment variable DESK_DESK_LANGUAGE: desk.language must be zh or en, not fr")
}

func TestAnUnknownSectionIsComparedWithSections(t *testing.T) {
	t.Parallel()
	path := write(t, least+"[limit]\nsettle = \"5s\"")
	_, err := Load(path, nil)
	if !strings.Contains(fmt.Sprint(err), "limits") {
		t.Error(err)
	}
}

func TestAValueForASectionSpeaksNoGo(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"feishu = 3", "[[feishu]]\napp_id = \"x\""} {
		_, err := Load(write(t, text), nil)
		if s := fmt.Sprint(err); strings.Contains(s, "config.") || strings.Contains(s, "struct") || !strings.Contains(s, "feishu") {
			t.Error(err)
		}
	}
}

func TestAReferenceToNothingSaysSo(t *testing.T) {
	t.Parallel()
	path := write(t, strings.Replace(least, "hush", "file:empty", 1))
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "empty"), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path, nil)
	if s := fmt.Sprint(err); !strings.Contains(s, "empty") || strings.Contains(s, "is missing") {
		t.Error(err)
	}
	for _, ref := range []string{"env:", "file:"} {
		_, err := Load(write(t, strings.Replace(least, "hush", ref, 1)), nil)
		if s := fmt.Sprint(err); strings.Contains(s, "variable ,") || strings.Contains(s, "file ,") {
			t.Error(err)
		}
	}
}
