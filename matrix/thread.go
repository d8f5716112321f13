package matrix

import (
	"slices"

	"deskbridge/adapters/sandbox/model/modeltest"
)

// Turn is a turn as Codex has stored it.
type Turn struct {
	Thread, ID string
	Status     string
	// Messages are the client ids of its userMessage items, in order: the ids of
	// the chat's messages.
	Messages []string
	// Texts are the texts of its userMessage items, in order.
	Texts []string
}

// Turns are all turns of all threads, oldest first, as Codex tells them to
// somebody other than the bridge. Codex must run.
func (d *Desk) Turns() []Turn {
	d.tb.Helper()
	client := modeltest.Hello(d.tb, d.socket())
	defer client.Close()
	var all []Turn
	for _, thread := range d.threads() {
		all = append(all, d.turns(client, thread)...)
	}
	return all
}

// threads are those in which a model was called, in that order.
func (d *Desk) threads() []string {
	var all []string
	for _, r := range d.Model.Records() {
		if !slices.Contains(all, r.Thread) {
			all = append(all, r.Thread)
		}
	}
	return all
}

// turnsPage is far more than a scenario has.
const turnsPage = 100

func (d *Desk) turns(client *modeltest.Client, thread string) []Turn {
	d.tb.Helper()
	frame := client.Call("thread/turns/list", map[string]any{"threadId": thread, "limit": turnsPage, "itemsView": "full"})
	if frame.Error != nil {
		d.tb.Fatalf("thread/turns/list of %s: %s", thread, frame.Raw)
	}
	var page struct {
		Data []struct {
			ID, Status string
			Items      []struct {
				Type, ClientID string
				Content        []struct{ Text string }
			}
		}
		NextCursor string
	}
	frame.Decode(d.tb, &page)
	if page.NextCursor != "" {
		d.tb.Fatalf("the thread has more than %d turns", turnsPage)
	}
	var turns []Turn
	for _, t := range slices.Backward(page.Data) {
		turn := Turn{Thread: thread, ID: t.ID, Status: t.Status}
		for _, item := range t.Items {
			if item.Type != "userMessage" {
				continue
			}
			turn.Messages = append(turn.Messages, item.ClientID)
			text := ""
			for _, part := range item.Content {
				text += part.Text
			}
			turn.Texts = append(turn.Texts, text)
		}
		turns = append(turns, turn)
	}
	return turns
}

// AwaitTurnStored waits until Codex has stored the end of a turn.
func (d *Desk) AwaitTurnStored(thread, turn string) Turn {
	d.tb.Helper()
	client := modeltest.Hello(d.tb, d.socket())
	defer client.Close()
	// From the answer on this connection is told of turns that end; one that has
	// ended before is in the list.
	if resumed := client.Call("thread/resume", map[string]any{"threadId": thread, "excludeTurns": true}); resumed.Error != nil {
		d.tb.Fatalf("thread/resume of %s: %s", thread, resumed.Raw)
	}
	find := func() Turn {
		all := d.turns(client, thread)
		i := slices.IndexFunc(all, func(t Turn) bool { return t.ID == turn })
		if i < 0 {
			d.tb.Fatalf("Codex does not list turn %s", turn)
		}
		return all[i]
	}
	if found := find(); found.Status != "inProgress" {
		return found
	}
	client.Await("the turn's end", func(f modeltest.Frame) bool {
		if f.Method != "turn/completed" {
			return false
		}
		var ended struct{ Turn struct{ ID string } }
		f.Decode(d.tb, &ended)
		return ended.Turn.ID == turn
	})
	return find()
}
