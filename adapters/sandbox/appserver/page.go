package appserver

import (
	"encoding/json"
	"slices"
)

// defaultPage is the number of turns on a page where the call names none. The
// real server's is not measured.
const defaultPage = 25

// cursor is a place in a thread's history. It travels as a string of JSON.
type cursor struct {
	ThreadID string `json:"requestedThreadId"`
	Ordinal  int    `json:"rolloutOrdinal"`
	Include  bool   `json:"includeAnchor"`
	Scope    scope  `json:"scope"`
}

type scope struct {
	Kind string `json:"kind"`
}

// text is the cursor as it travels.
func (c cursor) text() *string {
	text := string(mustEncode(c))
	return &text
}

// threadTurnsList pages through a thread's turns, newest first unless asked
// otherwise.
func (c *Conn) threadTurnsList(params json.RawMessage) (answer, *rpcError) {
	in := struct {
		ThreadID      string
		Cursor        *string
		Limit         *int
		ItemsView     string
		SortDirection string
	}{ItemsView: viewSummary, SortDirection: "desc"}
	if problem := decode(params, &in, "threadId"); problem != nil {
		return answer{}, problem
	}
	if !slices.Contains([]string{viewNotLoaded, viewSummary, viewFull}, in.ItemsView) {
		return answer{}, invalid("Invalid request: unknown variant `%s`, expected one of `notLoaded`, `summary`, `full`", in.ItemsView)
	}
	if in.SortDirection != "asc" && in.SortDirection != "desc" {
		return answer{}, invalid("Invalid request: unknown variant `%s`, expected `asc` or `desc`", in.SortDirection)
	}
	t, problem := c.stored(in.ThreadID)
	if problem == nil {
		problem = t.notStored("thread/turns/list")
	}
	if problem != nil {
		return answer{}, problem
	}
	turns := slices.Clone(t.turns)
	if in.SortDirection == "desc" {
		slices.Reverse(turns)
	}
	if in.Cursor != nil {
		if turns, problem = from(turns, t.id, *in.Cursor); problem != nil {
			return answer{}, problem
		}
	}
	limit := defaultPage
	if in.Limit != nil {
		limit = max(*in.Limit, 1)
	}
	return answer{value: page(t.id, turns, limit, in.ItemsView)}, nil
}

// from cuts off the turns before a cursor.
func from(turns []*turn, thread, text string) ([]*turn, *rpcError) {
	var at cursor
	if json.Unmarshal([]byte(text), &at) != nil || at.ThreadID != thread {
		return nil, invalid("invalid cursor: %s", text)
	}
	i := slices.IndexFunc(turns, func(t *turn) bool { return t.ordinal == at.Ordinal })
	if i < 0 {
		return nil, invalid("invalid cursor: %s", text)
	}
	if !at.Include {
		i++
	}
	return turns[i:], nil
}

// turnsPage is the result of thread/turns/list.
type turnsPage struct {
	Data            []turnWire `json:"data"`
	NextCursor      *string    `json:"nextCursor"`
	BackwardsCursor *string    `json:"backwardsCursor"`
}

// page shows the first turns of a list.
func page(thread string, turns []*turn, limit int, view string) turnsPage {
	p := turnsPage{Data: []turnWire{}}
	for _, t := range turns[:min(limit, len(turns))] {
		p.Data = append(p.Data, t.wire(view))
	}
	if len(turns) > limit {
		p.NextCursor = cursor{thread, turns[limit-1].ordinal, false, scope{"turns"}}.text()
	}
	if len(turns) > 0 {
		p.BackwardsCursor = cursor{thread, turns[0].ordinal, true, scope{"turns"}}.text()
	}
	return p
}
