package feishu

import (
	"encoding/json"
	"strings"
)

// display is a message as plain text for the chat page. Mentions show their names;
// types without a text show what they are.
func display(m Message) string {
	if m.Recalled {
		return "消息已撤回 · Recalled"
	}
	text := ""
	switch m.Type {
	case "text":
		text = m.Text()
	case "post":
		text = displayPost(m.Content)
	}
	if text == "" {
		return "[" + m.Type + "]"
	}
	for i := len(m.Mentions) - 1; i >= 0; i-- { // @_user_12 before @_user_1
		text = strings.ReplaceAll(text, m.Mentions[i].Key, "@"+m.Mentions[i].Name)
	}
	return text
}

type postContent struct {
	Title   string `json:"title"`
	Content [][]struct {
		Text string `json:"text"`
	} `json:"content"`
}

// displayPost is the text of a rich-text message, line by line. Sent ones are keyed
// by language, received ones are not; the Chinese part goes first.
func displayPost(content string) string {
	var plain postContent
	var keyed map[string]postContent
	if json.Unmarshal([]byte(content), &plain) != nil || plain.Content == nil {
		if json.Unmarshal([]byte(content), &keyed) != nil {
			return ""
		}
		plain = keyed["zh_cn"]
		if plain.Content == nil {
			plain = keyed["en_us"]
		}
	}
	var lines []string
	if plain.Title != "" {
		lines = append(lines, plain.Title)
	}
	for _, parts := range plain.Content {
		var line strings.Builder
		for _, part := range parts {
			line.WriteString(part.Text)
		}
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}
