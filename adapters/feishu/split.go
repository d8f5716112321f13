package feishu

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// partLimits are how long a part's text may be, in bytes of the request as
// [textSize] counts them; the later ones are for a platform that finds the first
// too long. It takes requests of 150 KB, of which the rest of the request needs
// some hundred bytes; the remainder is left for another way of counting.
var partLimits = []int{140_000, 70_000, 35_000, 17_500, 8_750, 4_375}

// part is what one message says of a text.
type part struct {
	text string
	// upTo is where the next part begins; the text's length: there is none.
	upTo int
}

// partAt cuts the part that begins at from. The parts of a text, one after the
// other, are the text, byte by byte; white space alone is left out, where it would
// fill half a message or is all that is left, since the platform refuses a message
// of nothing else. A part is cut behind a paragraph, else a line, a sentence, a
// word, in its second half; else between two characters as people see them. Fences
// of code mean nothing in a message of plain text, and are text like any other.
//
// A part is empty if nothing but white space is left; a text of nothing else is one
// part, for the platform to judge.
func partAt(text string, from, limit int) part {
	start, end := from, fill(text, from, limit)
	if blank(text[start:fill(text, from, limit/2)]) {
		rest := strings.TrimLeftFunc(text[from:], unicode.IsSpace)
		switch {
		case rest == "" && from == 0:
			return part{text, len(text)}
		case rest == "":
			return part{"", len(text)}
		}
		start = len(text) - len(rest)
		end = fill(text, start, limit)
	}
	if end < len(text) {
		end = cut(text, start, end)
	}
	if blank(text[end:]) {
		return part{text[start:end], len(text)}
	}
	return part{text[start:end], end}
}

// blank says that a text is nothing but white space.
func blank(text string) bool { return strings.TrimLeftFunc(text, unicode.IsSpace) == "" }

// fill returns the end of the longest piece from there on that keeps within the
// limit; it holds one rune at least.
func fill(text string, from, limit int) int {
	size := 0
	for i := from; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		if size += textSize(r, width); size > limit && i > from {
			return i
		}
		i += width
	}
	return len(text)
}

// textSize is how many bytes a rune of a text takes in a request, at most: the
// content is JSON in a string of JSON, so that what is escaped is escaped twice.
func textSize(r rune, width int) int {
	switch r {
	case '\n', '\r', '\t':
		return len(`\\n`)
	case '"', '\\':
		return len(`\\\"`)
	case '<':
		return len(`\u003c`) + len(gap)
	case '>', '&':
		return len(`\u003e`)
	case '\u2028', '\u2029':
		return len(`\\u2028`)
	}
	if r < ' ' || r == utf8.RuneError && width == 1 {
		return len(`\\ufffd`)
	}
	return width
}

// cut finds the best place to end a part that may not go beyond end.
func cut(text string, start, end int) int {
	// What comes before is white space, or nothing.
	first := start + strings.IndexFunc(text[start:end], func(r rune) bool { return !unicode.IsSpace(r) })
	low := max(start+(end-start)/2, first+1)
	second := text[low:end]
	for _, last := range []func(string) int{
		func(s string) int { return behind(s, "\n\n") },
		func(s string) int { return behind(s, "\n") },
		func(s string) int {
			return max(behind(s, "。"), behind(s, "！"), behind(s, "？"), behind(s, ". "), behind(s, "! "), behind(s, "? "))
		},
		func(s string) int {
			if i := strings.LastIndexFunc(s, unicode.IsSpace); i >= 0 {
				_, width := utf8.DecodeRuneInString(s[i:])
				return i + width
			}
			return -1
		},
	} {
		if i := last(second); i >= 0 && !joined(text, low+i) {
			return low + i
		}
	}
	at := end
	for range graphemeBound {
		if !joined(text, at) {
			return at
		}
		_, width := utf8.DecodeLastRuneInString(text[start:at])
		if at -= width; at <= first {
			break
		}
	}
	return end // characters without end: any rune will do
}

// behind is where the last mark in a text ends; -1: there is none.
func behind(s, mark string) int {
	if i := strings.LastIndex(s, mark); i >= 0 {
		return i + len(mark)
	}
	return -1
}

// graphemeBound is the longest character, in runes, that is kept whole: a family of
// emoji has about ten.
const graphemeBound = 64

const joiner = '\u200d'

// joined says that a cut there would be within what people see as one character.
// These are the rules of Unicode's text segmentation that matter in a chat: marks,
// joiners, skin tones, flags, line ends, Hangul syllables.
func joined(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	switch {
	case before == '\r' && after == '\n', before == joiner, after == joiner:
		return true
	case before == '\n' || before == '\r':
		return false // a mark has nothing to stand on there
	case unicode.Is(unicode.M, after), after >= 0x1f3fb && after <= 0x1f3ff, after >= 0xe0020 && after <= 0xe007f:
		return true
	case flag(after) && flag(before):
		return flagsBefore(text[:at])%2 == 1
	case after >= 0x1160 && after <= 0x11ff:
		return true
	}
	return before >= 0x1100 && before <= 0x115f && unicode.Is(unicode.Hangul, after)
}

// flag says that a rune is a letter of those that make a flag in pairs.
func flag(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func flagsBefore(text string) (n int) {
	for n < graphemeBound {
		r, width := utf8.DecodeLastRuneInString(text)
		if !flag(r) {
			break
		}
		n++
		text = text[:len(text)-width]
	}
	return n
}
