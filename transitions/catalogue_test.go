package transitions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func TestEverySentenceIsCompleteAndPlain(t *testing.T) {
	t.Parallel()
	transport := regexp.MustCompile(`(?i)socket|connect|network|websocket|http|连接|网络|断开|thread_|turn_`)
	seen := map[SentenceID]bool{}
	for _, s := range Sentences() {
		if seen[s.ID] {
			t.Errorf("%s is in the catalogue twice", s.ID)
		}
		seen[s.ID] = true
		if s.Chinese == "" || s.English == "" || s.Entitled == "" {
			t.Errorf("%s lacks a language or what entitles it", s.ID)
		}
		if !strings.ContainsFunc(s.Chinese, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s is not Chinese: %s", s.ID, s.Chinese)
		}
		if strings.ContainsFunc(s.English, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s is not English: %s", s.ID, s.English)
		}
		for _, text := range []string{s.Chinese, s.English} {
			if word := transport.FindString(text); word != "" {
				t.Errorf("%s speaks of %q: %s", s.ID, word, text)
			}
		}
		if strings.Contains(s.Chinese, "{1}") != strings.Contains(s.English, "{1}") {
			t.Errorf("%s has another argument in Chinese than in English", s.ID)
		}
	}
}

func TestTheStopSentenceIsTheOneThatPeopleKnow(t *testing.T) {
	t.Parallel()
	if got := (Body{Sentence: SaidStopped}).Say(Chinese); got != "当前任务已停止。" {
		t.Errorf("got %q", got)
	}
	for _, s := range Sentences() {
		if s.ID != SaidStopped && strings.Contains(s.Chinese, "已停止") {
			t.Errorf("%s says stopped too: %s", s.ID, s.Chinese)
		}
	}
}

// TestEverySentenceIsSaidBySomeRow holds that each id of the catalogue has an
// entry, and is named by the code that the rows run, outside the catalogue.
func TestEverySentenceIsSaidBySomeRow(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared, used := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if id, ok := n.Type.(*ast.Ident); ok && id.Name == "SentenceID" {
					declared[n.Names[0].Name] = true
				}
			case *ast.Ident:
				used[n.Name] = used[n.Name] || name != "sentence.go"
			}
			return true
		})
	}
	for name := range declared {
		if !used[name] {
			t.Errorf("%s is said by no row", name)
		}
	}
	if len(declared) == 0 || len(declared) != len(Sentences()) {
		t.Errorf("%d ids, %d entries", len(declared), len(Sentences()))
	}
}

func TestABodySaysItselfInTheLanguageAskedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		body Body
		lang Language
		want string
	}{
		{"Codex's own words are left as they are", Body{Text: "{1} 当前"}, English, "{1} 当前"},
		{"a sentence in Chinese", Body{Sentence: SaidFailed, Args: []string{"quota"}}, Chinese, "任务失败了：quota。可以再发一次消息继续。"},
		{"a sentence in English", Body{Sentence: SaidFailed, Args: []string{"quota"}}, English, "The task failed: quota. Send another message to go on."},
		{"an argument is not read as an argument", Body{Sentence: SaidRefused, Args: []string{"{1}{2}"}}, English, "Codex did not accept this message: {1}{2}"},
		{"Chinese where the language is not known", Body{Sentence: SaidNoReply}, "", "任务结束了，Codex 没有留下回复。"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.body.Say(c.lang); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
