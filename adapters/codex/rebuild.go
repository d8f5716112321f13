package codex

import (
	"encoding/json"

	"deskbridge/transitions"
)

// methodInject appends to what the model sees of a thread, without a turn.
const methodInject = "thread/inject_items"

// aboutTranscript tells the model what the transcript is that follows.
const aboutTranscript = "The thread of this conversation was lost. What follows is what was said in it, as far as it is known. " +
	"Commands, file changes and tool calls are not part of it: look at the files before you rely on them."

type injectParams struct {
	ThreadID string     `json:"threadId"`
	Items    []injected `json:"items"`
}

// injected is an item of the Responses API.
type injected struct {
	Type    string         `json:"type"`
	Role    string         `json:"role"`
	Content []injectedText `json:"content"`
}

type injectedText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// rebuild gives a new thread what was said in the lost one, and tells what became of
// it; the error says that nobody knows.
func (c *Client) rebuild(s *session, track, id string, done func(transitions.Transcript, error)) {
	if c.Transcript == nil {
		done("", nil)
		return
	}
	said, err := c.Transcript(track)
	if err != nil {
		c.Log.Error("what was said before could not be read; the new thread begins without it", "track", track, "err", err)
		done(transitions.TranscriptMissing, nil)
		return
	}
	if len(said) == 0 {
		done("", nil)
		return
	}
	params := injectParams{ThreadID: id, Items: itemsOf(said)}
	s.call(methodInject, params, c.CallTimeout, func(_ json.RawMessage, err error) {
		if refusal, ok := refused(err); ok && refusal.means() != meansOverloaded {
			c.Log.Error("Codex does not take what was said before; the new thread begins without it", "track", track, "err", err)
			done(transitions.TranscriptMissing, nil)
			return
		}
		done(transitions.TranscriptGiven, err)
	})
}

func itemsOf(said []transitions.Utterance) []injected {
	items := []injected{itemOf("developer", "input_text", aboutTranscript)}
	for _, u := range said {
		if u.Codex {
			items = append(items, itemOf("assistant", "output_text", u.Text))
		} else {
			items = append(items, itemOf("user", "input_text", u.Text))
		}
	}
	return items
}

func itemOf(role, kind, text string) injected {
	return injected{Type: "message", Role: role, Content: []injectedText{{Type: kind, Text: text}}}
}
