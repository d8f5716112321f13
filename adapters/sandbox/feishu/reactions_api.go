package feishu

import (
	"net/http"
	"regexp"
	"slices"
)

// emojiType is the shape of the platform's emoji names; which of them exist is not
// checked.
var emojiType = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,49}$`)

type (
	reactionItem struct {
		ReactionID   string           `json:"reaction_id"`
		Operator     reactionOperator `json:"operator"`
		ActionTime   string           `json:"action_time"`
		ReactionType reactionEmoji    `json:"reaction_type"`
	}
	reactionOperator struct {
		OperatorID   string `json:"operator_id"`
		OperatorType string `json:"operator_type"`
	}
	reactionEmoji struct {
		EmojiType string `json:"emoji_type"`
	}
)

// createReaction puts an emoji on a message. The same emoji of the same app again is
// the one that is there.
func (p *Platform) createReaction(c *call) Response {
	body, ok := decode[struct {
		ReactionType reactionEmoji `json:"reaction_type"`
	}](c.Body)
	if !ok || !emojiType.MatchString(body.ReactionType.EmojiType) {
		return p.refuse(http.StatusBadRequest, codeReactionType, "")
	}
	m, refusal := p.lookUp(c, codeReactionMessage)
	if refusal != nil {
		return *refusal
	}
	emoji := body.ReactionType.EmojiType
	at := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.Emoji == emoji && r.By.ID == c.app.ID })
	if at < 0 {
		at = len(m.Reactions)
		m.Reactions = append(m.Reactions, Reaction{
			ID:    p.id("reaction"),
			Emoji: emoji,
			By:    Sender{ID: c.app.ID, Kind: "app_id", Type: "app"},
			Time:  p.sched.Now(),
		})
		p.changed()
	}
	return p.ok(reaction(m.Reactions[at]))
}

func (p *Platform) deleteReaction(c *call) Response {
	m, refusal := p.lookUp(c, codeReactionMessage)
	if refusal != nil {
		return *refusal
	}
	at := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.ID == c.params["reaction_id"] })
	if at < 0 {
		return p.refuse(http.StatusBadRequest, codeReactionNotThere, "")
	}
	removed := m.Reactions[at]
	if removed.By.ID != c.app.ID {
		return p.refuse(http.StatusBadRequest, codeReactionOwner, "")
	}
	m.Reactions = slices.Delete(slices.Clone(m.Reactions), at, at+1)
	p.changed()
	return p.ok(reaction(removed))
}

func reaction(r Reaction) reactionItem {
	return reactionItem{
		ReactionID:   r.ID,
		Operator:     reactionOperator{OperatorID: r.By.ID, OperatorType: r.By.Type},
		ActionTime:   millis(r.Time),
		ReactionType: reactionEmoji{EmojiType: r.Emoji},
	}
}
