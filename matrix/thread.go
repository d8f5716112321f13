package matrix

import (
	"encoding/json"
	"fmt"
	"slices"

	"deskbridge/adapters/sandbox/model/modeltest"
	"deskbridge/matrix/audit"
)

// on makes calls on a connection to the real app-server.
func on(client *modeltest.Client) caller {
	return func(method string, params any) (json.RawMessage, error) {
		frame := client.Call(method, params)
		if frame.Error != nil {
			return nil, fmt.Errorf("refused (%d): %s", frame.Error.Code, frame.Error.Message)
		}
		return frame.Result, nil
	}
}

// Client is a connection to the desk's app-server, of somebody other than the
// bridge. Codex must run.
func (d *Desk) Client() *modeltest.Client {
	d.tb.Helper()
	return modeltest.Hello(d.tb, d.socket())
}

// turns are those that Codex has in some threads. Codex must run.
func (d *Desk) turns(threads []string) []audit.Turn {
	d.tb.Helper()
	d.listening()
	client := d.Client()
	defer client.Close()
	all, err := readTurns(on(client), threads)
	d.must(err)
	return all
}

// AwaitTurnStored waits until Codex has stored the end of a turn.
func (d *Desk) AwaitTurnStored(thread, turn string) audit.Turn {
	d.tb.Helper()
	client := d.Client()
	defer client.Close()
	// From the answer on this connection is told of turns that end; one that has
	// ended before is in the list.
	if resumed := client.Call("thread/resume", map[string]any{"threadId": thread, "excludeTurns": true}); resumed.Error != nil {
		d.tb.Fatalf("thread/resume of %s: %s", thread, resumed.Raw)
	}
	find := func() audit.Turn {
		all, err := readTurns(on(client), []string{thread})
		d.must(err)
		i := slices.IndexFunc(all, func(t audit.Turn) bool { return t.ID == turn })
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
