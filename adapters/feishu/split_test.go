package feishu

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// parts are all parts of a text within a limit.
func parts(t interface{ Fatalf(string, ...any) }, text string, limit int) []part {
	var all []part
	for from := 0; ; {
		p := partAt(text, from, limit)
		if p.upTo <= from && text != "" {
			t.Fatalf("the part at %d of %q ends at %d", from, text, p.upTo)
		}
		all = append(all, p)
		if from = p.upTo; from >= len(text) {
			return all
		}
	}
}

func texts(all []part) []string {
	var s []string
	for _, p := range all {
		s = append(s, p.text)
	}
	return s
}

// requestSize is what a text takes of a request, as the SDK encodes it.
func requestSize(t interface{ Fatalf(string, ...any) }, text string) int {
	size := func(text string) int {
		b, err := json.Marshal(map[string]string{"content": textContent(text)})
		if err != nil {
			t.Fatalf("%v", err)
		}
		return len(b)
	}
	return size(text) - size("")
}

// anyText is made of what is hard to cut.
var anyText = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.SampledFrom([]string{
		"a", "word", " ", "  ", "\n", "\n\n", "\r\n", "\t", "。", "！", ". ", "好", "é", "e\u0301", "\u0301", "\"", "\\", "<at id=x>", "</at>", "&",
		"👨\u200d👩\u200d👧", "👍🏽", "🇨🇳🇫🇷", "각", "\u1100\u1161\u11a8", "\u2028", "\x00", "\x1f", "\xff", "```\n", "    ", "\u200b", "\u3000",
	})
	return strings.Join(rapid.SliceOfN(piece, 0, 120).Draw(t, "pieces"), "")
})

func TestAnyTextIsCutWithoutLoss(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := anyText.Draw(t, "text")
		limit := rapid.IntRange(60, 300).Draw(t, "limit")
		all := parts(t, text, limit)
		at := 0
		for i, p := range all {
			// What stands between two parts, and behind the last, is white space.
			start := strings.LastIndex(text[:p.upTo], p.text)
			if start < at || !blank(text[at:start]) || !blank(text[start+len(p.text):p.upTo]) {
				t.Fatalf("part %d %q of %q is not what follows %d", i, p.text, text, at)
			}
			at = p.upTo
			if blank(p.text) && (len(all) > 1 || !blank(text)) {
				t.Fatalf("part %d of %q is blank", i, text)
			}
			if size := requestSize(t, p.text); size > limit && !blank(p.text) {
				t.Fatalf("part %d %q takes %d bytes of %d", i, p.text, size, limit)
			}
			if utf8.ValidString(text) && !utf8.ValidString(p.text) {
				t.Fatalf("part %d %q cuts a rune", i, p.text)
			}
			if i < len(all)-1 && joined(text, p.upTo) {
				t.Fatalf("part %d %q of %q cuts a character", i, p.text, text)
			}
		}
		if diff := cmp.Diff(texts(all), texts(parts(t, text, limit))); diff != "" {
			t.Fatalf("cut otherwise: %s", diff)
		}
	})
}

// Where no white space is long enough to fill a part, nothing at all is left out,
// but what ends the text.
func TestOrdinaryTextIsItsPartsByteByByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z<&"好]{1,12}[ \n]{0,2}){0,80}x`).Draw(t, "text")
		limit := rapid.IntRange(40, 400).Draw(t, "limit")
		all := parts(t, text, limit)
		if got := strings.Join(texts(all), ""); got != text {
			t.Fatalf("got  %q\nwant %q", got, text)
		}
		// All but the last hold half of what would have fitted, so there are not many
		// more than need be.
		at := 0
		for i, p := range all[:len(all)-1] {
			if most := fill(text, at, limit) - at; 2*len(p.text) < most {
				t.Fatalf("part %d %q holds %d bytes of %d", i, p.text, len(p.text), most)
			}
			at = p.upTo
		}
	})
}

func TestTextIsCutWhereItReadsBest(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("x", 9)
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"it fits":             {"0123456789 123456789", []string{"0123456789 123456789"}},
		"paragraph":           {x + " a\n\nbb cc dddd", []string{x + " a\n\n", "bb cc dddd"}},
		"paragraph over line": {x + "\n\nab\ncd efg hij", []string{x + "\n\n", "ab\ncd efg hij"}},
		"line over sentence":  {x + "\nb. c d efghijk", []string{x + "\n", "b. c d efghijk"}},
		"sentence over word":  {x + " no. yes yes ja", []string{x + " no. ", "yes yes ja"}},
		"chinese sentence":    {x + "好。bcd efghijk", []string{x + "好。", "bcd efghijk"}},
		"word":                {x + "yz abcdefghijk", []string{x + "yz ", "abcdefghijk"}},
		"no word at all":      {x + x + x, []string{x + x + "xx", "xxxxxxx"}},
		"only in the second half": {
			"a\n\n" + x + x + x, []string{"a\n\n" + x + "xxxx", "xxxxx" + x}},
		"emoji of a family":     {x + "xxxxx👨\u200d👩\u200d👧", []string{x + "xxxxx", "👨\u200d👩\u200d👧"}},
		"flags":                 {x + "🇨🇳🇫🇷", []string{x + "🇨🇳", "🇫🇷"}},
		"a mark":                {x + x + "xe\u0301", []string{x + x + "x", "e\u0301"}},
		"a skin tone":           {x + "xxxxxxx👍🏽", []string{x + "xxxxxxx", "👍🏽"}},
		"a flag of tags":        {x + "xxxxx🏴\U000e0067", []string{x + "xxxxx🏴\U000e0067"[:5], "🏴\U000e0067"}},
		"a syllable of letters": {x + "xxxxxxxx\u1100\u1161", []string{x + "xxxxxxxx", "\u1100\u1161"}},
		"a line end of two":     {x + "xxxxxxxx\r\nend", []string{x + "xxxxxxxx", "\r\nend"}},
		"a mark on a space":     {x + "xx abcd \u0301efgh", []string{x + "xx abcd \u0301e", "fgh"}},
		"a wide character after blanks": {
			"        x<<abc", []string{"        x<", "<abc"}},
		"a character longer than is left": {
			"      👨\u200d👩\u200d👧", []string{"      👨\u200d👩\u200d", "👧"}},
		"indentation is kept":    {x + "12345\n\tfoo()\n\tbar()", []string{x + "12345\n", "\tfoo()\n\tbar()"}},
		"a blank part":           {x + strings.Repeat(" ", 40) + "end", []string{x + "           ", "end"}},
		"blank at the beginning": {strings.Repeat(" ", 30) + "end", []string{"end"}},
		"blank at the end":       {x + x + strings.Repeat("\n", 30), []string{x + x}},
		"nothing":                {"", []string{""}},
		"nothing but blanks":     {strings.Repeat(" ", 50), []string{strings.Repeat(" ", 50)}},
	} {
		if diff := cmp.Diff(test.want, texts(parts(t, test.text, 20))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFlagsAreCountedFromTheirBeginning(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("🇨🇳", 20)
	for i := 4; i < len(text); i += 4 {
		if got, want := joined(text, i), i%8 == 4; got != want {
			t.Errorf("at %d: %v", i, got)
		}
	}
}

func TestAWallOfMarksIsCutAnywhere(t *testing.T) {
	t.Parallel()
	text := "abe" + strings.Repeat("\u0301", 300)
	all := parts(t, text, 200)
	if len(all) != 4 || len(all[0].text) != 199 || strings.Join(texts(all), "") != text {
		t.Errorf("%d parts %q", len(all), texts(all))
	}
}

func TestSizeOfARuneIsNeverTooSmall(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= 0x3000; r++ {
		if got, want := textSize(r, utf8.RuneLen(r)), requestSize(t, string(r)); got < want || r != '<' && !unicode.IsControl(r) && got > want {
			t.Fatalf("%U takes %d bytes, counted %d", r, want, got)
		}
	}
}
