package feishu

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// msgText is the message type of plain text.
const msgText = "text"

// textContent is the content of a text message.
func textContent(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the content is encoded once more, and its size is limited
	if err := e.Encode(map[string]string{"text": inert(text)}); err != nil {
		panic(fmt.Sprintf("feishu: a string cannot be encoded as JSON: %v", err))
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// textOf reads the content of a text message.
func textOf(content string) (text string, ok bool) {
	var c struct {
		Text *string `json:"text"`
	}
	if json.Unmarshal([]byte(content), &c) != nil || c.Text == nil {
		return "", false
	}
	return *c.Text, true
}

// atTag finds what the platform could take for a mention in a text message:
// <at user_id="…">…</at>.
var atTag = regexp.MustCompile(`(?i)<(\s*/?\s*at(?:[^0-9a-z]|$))`)

// gap is a zero-width space.
const gap = "\u200b"

// inert makes text that others wrote mention nobody: a zero-width space behind
// the bracket leaves it readable, and no tag. HTML entities would do the same,
// but the platform does not promise to show them as what they stand for in a
// message of plain text.
func inert(text string) string {
	return atTag.ReplaceAllString(text, "<"+gap+"$1")
}
