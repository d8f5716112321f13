package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
)

// Say lets the person write a text, and returns the message's id.
func (d *Desk) Say(text string) string {
	d.tb.Helper()
	var id string
	d.OnPlatform(func(p *feishu.Platform) { id = d.SayOn(p, text) })
	return id
}

// SayOn is Say within a function that the platform runs.
func (d *Desk) SayOn(p *feishu.Platform, text string) string { return d.SayIn(p, d.Chats[0], text) }

// SayIn is SayOn in one of several chats.
func (d *Desk) SayIn(p *feishu.Platform, c Chat, text string) string {
	id := p.Say(c.ID, c.User, text)
	d.said[c.ID] = append(d.said[c.ID], id)
	return id
}

// OnPlatform runs a function on the platform.
func (d *Desk) OnPlatform(f func(*feishu.Platform)) {
	d.tb.Helper()
	d.must(d.Platform.Do(f))
}

// Transcript is the chat as its reader sees it, a line a message: who wrote it,
// the text it replies to, the text, and the reactions.
//
//	A: hello [OnIt]
//	Desk re "hello": reply to: hello
func (d *Desk) Transcript() []string {
	d.tb.Helper()
	var lines []string
	d.OnPlatform(func(p *feishu.Platform) { lines = d.transcript(p) })
	return lines
}

func (d *Desk) transcript(p *feishu.Platform) []string {
	texts := map[string]string{}
	lines := []string{}
	for _, m := range p.Messages(d.Chat) {
		texts[m.ID] = m.Text()
		var line strings.Builder
		switch m.Sender.ID {
		case d.User:
			line.WriteString("A")
		case d.App.ID:
			line.WriteString(d.App.Name)
		default:
			line.WriteString(m.Sender.ID)
		}
		if m.ParentID != "" {
			fmt.Fprintf(&line, " re %q", texts[m.ParentID])
		}
		line.WriteString(": " + m.Text())
		for _, r := range m.Reactions {
			line.WriteString(" [" + r.Emoji + "]")
		}
		lines = append(lines, line.String())
	}
	return lines
}

// AwaitChat waits until the chat reads exactly like this; see [Desk.Transcript].
func (d *Desk) AwaitChat(want ...string) {
	d.tb.Helper()
	ctx, cancel := d.deadline()
	defer cancel()
	err := d.Platform.Wait(ctx, func(p *feishu.Platform) bool { return slices.Equal(d.transcript(p), want) })
	if err != nil {
		d.tb.Fatalf("the chat does not become what it should (-want +got): %v\n%s", err, cmp.Diff(want, d.Transcript()))
	}
}

// AwaitPlatform waits until something holds of the platform.
func (d *Desk) AwaitPlatform(what string, cond func(*feishu.Platform) bool) {
	d.tb.Helper()
	ctx, cancel := d.deadline()
	defer cancel()
	if err := d.Platform.Wait(ctx, cond); err != nil {
		d.tb.Fatalf("waiting until %s: %v", what, err)
	}
}

// AwaitModel waits until a request whose last text is the given one is in the
// given state, and returns it.
func (d *Desk) AwaitModel(text string, state model.State) model.Record {
	d.tb.Helper()
	ctx, cancel := d.deadline()
	defer cancel()
	is := func(r model.Record) bool { return r.LastText() == text && r.State == state }
	records, err := d.Model.Await(ctx, func(all []model.Record) bool { return slices.ContainsFunc(all, is) })
	if err != nil {
		d.tb.Fatalf("no request about %q is %s: %v", text, state, err)
	}
	return records[slices.IndexFunc(records, is)]
}

// Requests is what reached the model: the last text of each request, and how far
// it came.
//
//	hello: answered
func (d *Desk) Requests() []string {
	lines := []string{}
	for _, r := range d.Model.Records() {
		lines = append(lines, fmt.Sprintf("%s: %s", r.LastText(), r.State))
	}
	return lines
}
