package model

import (
	"fmt"
	"strings"
	"unicode"
)

// Script decides what the model answers. It is called for one request at a
// time, in the order of their numbers, and must not block: see [Gate].
type Script func(Request) Reply

// Echo answers "reply to: " and the last text.
func Echo(r Request) Reply { return Say("reply to: " + r.LastText()) }

// Rule gives replies to the requests whose last text contains a string.
type Rule struct {
	// Contains is looked for in the request's last text.
	Contains string
	// Replies are given in turn, the last one again and again. A rule with a
	// tool call needs one more reply, to the request that brings its output.
	Replies []Reply
}

// On is the rule for texts that contain a string.
func On(contains string, replies ...Reply) Rule {
	return Rule{Contains: contains, Replies: replies}
}

// Rules is a script: the first rule that matches answers, and [Echo] where none
// does. A rule without replies never matches.
func Rules(rules ...Rule) Script {
	given := make([]int, len(rules))
	return func(r Request) Reply {
		for i, rule := range rules {
			if len(rule.Replies) == 0 || !strings.Contains(r.LastText(), rule.Contains) {
				continue
			}
			reply := rule.Replies[min(given[i], len(rule.Replies)-1)]
			given[i]++
			return reply
		}
		return Echo(r)
	}
}

// Demo is the script of the demonstration: it says what reached it and what it
// is, in the language of the last text.
func Demo(r Request) Reply {
	text := r.LastText()
	if chinese(text) {
		return Say(fmt.Sprintf("收到：“%s”。\n\n"+
			"我是演示用的脚本模型，背后是真正的 Codex：您的消息经由它到达这里，回答再原路返回。"+
			"这是本话题的第 %d 条消息。", text, len(r.Texts)))
	}
	return Say(fmt.Sprintf("Received: “%s”.\n\n"+
		"I am the scripted model of this demonstration, behind a real Codex: your message came "+
		"through it, and this answer goes back the same way. This is message %d of the thread.",
		text, len(r.Texts)))
}

// chinese reports whether the text holds a Chinese character.
func chinese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
