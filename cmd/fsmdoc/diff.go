package main

import (
	"fmt"
	"slices"
	"strings"
)

const (
	diffContext = 2   // unchanged lines shown about a change
	diffShown   = 60  // lines of a diff that are shown
	diffMatrix  = 4e6 // pairs of lines that are compared at most
)

// edit is a line of a diff: ' ' kept, '-' of the old text, '+' of the new.
type edit struct {
	sign byte
	line string
}

// diff tells how the new text differs from the old, line by line; it is cut
// after a while.
func diff(old, new string) string {
	edits := compare(strings.Split(old, "\n"), strings.Split(new, "\n"))
	var b strings.Builder
	shown, hidden, last := 0, 0, -1
	for i, e := range edits {
		if !nearChange(edits, i) {
			continue
		}
		if shown == diffShown {
			hidden++
			continue
		}
		if last != i-1 {
			b.WriteString("  …\n")
		}
		fmt.Fprintf(&b, "  %c %s\n", e.sign, e.line)
		shown, last = shown+1, i
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "  … and %d lines more\n", hidden)
	}
	return b.String()
}

func nearChange(edits []edit, i int) bool {
	for k := max(i-diffContext, 0); k <= min(i+diffContext, len(edits)-1); k++ {
		if edits[k].sign != ' ' {
			return true
		}
	}
	return false
}

// compare keeps what the texts begin and end with alike, and the longest common
// lines of what is between; where to find those would take too long, it calls
// all of it changed.
func compare(old, new []string) []edit {
	var head, tail []edit
	for len(old) > 0 && len(new) > 0 && old[0] == new[0] {
		head = append(head, edit{' ', old[0]})
		old, new = old[1:], new[1:]
	}
	for len(old) > 0 && len(new) > 0 && old[len(old)-1] == new[len(new)-1] {
		tail = append(tail, edit{' ', old[len(old)-1]})
		old, new = old[:len(old)-1], new[:len(new)-1]
	}
	slices.Reverse(tail)
	if len(old)*len(new) > diffMatrix {
		return slices.Concat(head, signed('-', old), signed('+', new), tail)
	}
	return slices.Concat(head, longestCommon(old, new), tail)
}

func signed(sign byte, lines []string) []edit {
	var edits []edit
	for _, line := range lines {
		edits = append(edits, edit{sign, line})
	}
	return edits
}

func longestCommon(old, new []string) []edit {
	common := make([][]int, len(old)+1) // [i][j]: common lines of old[i:] and new[j:]
	for i := range common {
		common[i] = make([]int, len(new)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if old[i] == new[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var edits []edit
	i, j := 0, 0
	for i < len(old) && j < len(new) {
		switch {
		case old[i] == new[j]:
			edits = append(edits, edit{' ', old[i]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', old[i]})
			i++
		default:
			edits = append(edits, edit{'+', new[j]})
			j++
		}
	}
	return slices.Concat(edits, signed('-', old[i:]), signed('+', new[j:]))
}
