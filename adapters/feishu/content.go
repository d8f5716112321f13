package feishu

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// readContent makes plain text of a message's content.
func readContent(messageType, content string, mentions []Mention, self string) (Kind, string, error) {
	switch messageType {
	case "text":
		var c struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal([]byte(content), &c); err != nil {
			return "", "", err
		}
		return Text, strings.TrimSpace(nameMentions(c.Text, mentions, self)), nil
	case "post":
		post, err := decodePost(content)
		if err != nil {
			return "", "", err
		}
		if !post.says() {
			return Unsupported, "", nil // pictures and files only
		}
		return Post, strings.TrimSpace(post.text(mentions, self)), nil
	}
	return Unsupported, "", nil
}

// nameMentions puts names in the place of mention keys, and leaves the bot's own
// out, with the space behind it.
func nameMentions(text string, mentions []Mention, self string) string {
	pairs := make([]string, 0, 4*len(mentions)+2)
	byLength := slices.Clone(mentions) // @_user_1 is how @_user_10 begins
	slices.SortStableFunc(byLength, func(a, b Mention) int { return cmp.Compare(len(b.Key), len(a.Key)) })
	for _, m := range byLength {
		switch {
		case m.Key == "":
		case self != "" && m.OpenID == self:
			pairs = append(pairs, m.Key+" ", "", m.Key, "")
		default:
			pairs = append(pairs, m.Key, "@"+m.Name)
		}
	}
	pairs = append(pairs, "@_all", "@all") // has no entry among the mentions
	return strings.NewReplacer(pairs...).Replace(text)
}

// post is the content of a rich message: paragraphs of elements.
type post struct {
	Title   string          `json:"title"`
	Content [][]postElement `json:"content"`
}

// postElement is one element of a paragraph; which fields it has depends on its
// tag.
type postElement struct {
	Tag       string `json:"tag"`
	Text      string `json:"text"`
	Href      string `json:"href"`
	UserID    string `json:"user_id"` // of an at: a mention key
	UserName  string `json:"user_name"`
	EmojiType string `json:"emoji_type"`
	Language  string `json:"language"`
}

// decodePost reads a post, be it plain, as events carry it, or wrapped in its
// language, as it is sent.
func decodePost(content string) (post, error) {
	var plain post
	if err := json.Unmarshal([]byte(content), &plain); err != nil {
		return post{}, err
	}
	if plain.Content != nil || plain.Title != "" {
		return plain, nil
	}
	var wrapped map[string]json.RawMessage
	if err := json.Unmarshal([]byte(content), &wrapped); err != nil {
		return post{}, err
	}
	for _, language := range []string{"zh_cn", "en_us", "ja_jp"} {
		if inner, ok := wrapped[language]; ok {
			err := json.Unmarshal(inner, &plain)
			return plain, err
		}
	}
	return plain, nil
}

// says reports whether the post holds words, and not only pictures, files and
// rules.
func (p post) says() bool {
	if p.Title != "" {
		return true
	}
	for _, paragraph := range p.Content {
		for _, e := range paragraph {
			if strings.TrimSpace(e.Text+e.Href+e.EmojiType+e.UserID) != "" {
				return true
			}
		}
	}
	return false
}

func (p post) text(mentions []Mention, self string) string {
	var lines []string
	if p.Title != "" {
		lines = append(lines, p.Title)
	}
	for _, paragraph := range p.Content {
		var b strings.Builder
		for _, e := range paragraph {
			b.WriteString(e.plain(mentions, self))
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}

// plain is an element as text. What cannot be text leaves a mark of what was
// there.
func (e postElement) plain(mentions []Mention, self string) string {
	switch e.Tag {
	case "a":
		if e.Text == "" || e.Text == e.Href {
			return e.Href
		}
		return e.Text + " (" + e.Href + ")"
	case "at":
		return e.at(mentions, self)
	case "img":
		return "[image]"
	case "media":
		return "[video]"
	case "emotion":
		return "[" + e.EmojiType + "]"
	case "hr":
		return "---"
	case "code_block":
		return "```" + strings.ToLower(e.Language) + "\n" + strings.TrimSuffix(e.Text, "\n") + "\n```"
	}
	return nameMentions(e.Text, mentions, self)
}

func (e postElement) at(mentions []Mention, self string) string {
	for _, m := range mentions {
		if m.Key == e.UserID && m.Key != "" {
			return nameMentions(m.Key, []Mention{m}, self)
		}
	}
	switch {
	case self != "" && e.UserID == self:
		return ""
	case e.UserName != "":
		return "@" + e.UserName
	}
	return "@" + strings.TrimPrefix(e.UserID, "@")
}
