package feishu

import (
	"strings"
	"time"
	"unicode"

	"deskbridge/transitions"
)

// clockSkew is how far the platform's clock may be from ours.
const clockSkew = 10 * time.Minute

// search is what is looked for in the chat: a message that may have said one part
// of a delivery.
type search struct {
	// parts are what it may have said, each once: how much a message takes is not
	// known beforehand, see partLimits.
	parts []part
	// shown is the text before, which stands in the chat.
	shown   string
	outcome bool
	// first is when the first attempt began that may have taken effect.
	first, now time.Time
	// said and kept are what is compared of the parts; see [spoken] and [letters].
	said, kept []string
}

// verdict is what a list of messages proves.
type verdict string

const (
	found   verdict = "found"   // the message stands in the chat
	absent  verdict = "absent"  // it does not
	unclear verdict = "unclear" // neither can be told
)

// finding is a verdict; message and part are of what was found, why says what is
// unclear.
type finding struct {
	verdict verdict
	message string
	part    part
	created time.Time // by the platform's clock, of what was found
	inTopic bool      // it was found in a topic
	why     string
}

// judge looks through what was listed: the messages since the one replied to, all of
// them if complete. Found is one message of our app with the same parent, type and
// text, not older than the attempts. Absent is what no message resembles.
//
// The platform names as parent of every message in a topic the topic's first. There
// the text alone could be another delivery's, unless that would have had to wait for
// this one, which only outcomes do.
func (s search) judge(parent Listed, listed []Listed, complete bool) finding {
	for _, p := range s.parts { // once, since they are long
		text := inert(p.text)
		s.said, s.kept = append(s.said, spoken(text)), append(s.kept, letters(text))
	}
	var hits []finding
	resembled := false
	for _, m := range listed {
		inTopic := parent.ThreadID != "" && m.ThreadID == parent.ThreadID
		if !m.Own || !inTopic && m.ParentID != parent.MessageID {
			continue
		}
		p, same, similar := s.compare(m)
		if same {
			hits = append(hits, finding{verdict: found, message: m.MessageID, part: p, created: at(m.Created), inTopic: inTopic})
		}
		resembled = resembled || similar
	}
	backwards := s.now.Before(s.first)
	doubt := func(why string) finding { return finding{verdict: unclear, why: why} }
	switch {
	case len(hits) > 1:
		return doubt("several messages in the chat say the same")
	case len(hits) == 1 && strings.Contains(spoken(s.shown), spoken(hits[0].part.text)):
		return doubt("an earlier part of the text says the same")
	case len(hits) == 1 && hits[0].inTopic && (!s.outcome || backwards || hits[0].created.Before(s.first.Truncate(time.Millisecond))):
		return doubt("the message in the topic may be another delivery's")
	case len(hits) == 1 && !backwards && hits[0].created.Before(s.first.Add(-clockSkew)):
		return doubt("the message in the chat is older than the attempts")
	case len(hits) == 1:
		return hits[0]
	case resembled:
		return doubt("a message in the chat resembles it")
	case !complete:
		return doubt("the chat holds more messages than are read")
	case backwards:
		return doubt("the clock was set back")
	}
	return finding{verdict: absent}
}

// compare tells whether a message of ours says one of the parts, or may be a
// rendering of one: what the platform stores of a text need not be what it was
// given, and of what was recalled it stores nothing.
func (s search) compare(m Listed) (p part, same, similar bool) {
	if m.Recalled {
		return part{}, false, true
	}
	if m.MsgType != msgText {
		return part{}, false, false
	}
	theirs, ok := textOf(m.Content)
	if !ok {
		return part{}, false, true
	}
	said, kept := spoken(theirs), letters(theirs)
	for i, p := range s.parts {
		if s.said[i] == said {
			return p, true, false
		}
		similar = similar || resemble(s.kept[i], kept)
	}
	return part{}, false, similar
}

// at is a time of the platform's.
func at(ms transitions.Millis) time.Time { return time.UnixMilli(int64(ms)) }

// spoken is a text without what a platform may trim or add: white space, and what
// cannot be seen.
func spoken(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// letters are a text's letters and digits, which a rendering keeps most of.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, text)
}

// resemble says that one of the texts is the other with at most half left out.
func resemble(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if 2*len(b) < len(a) {
		return false
	}
	rest := []rune(b)
	for _, r := range a {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}
