package appserver

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// threadsPage is the number of threads on a page where the call names none. The
// real server's is not measured.
const threadsPage = 25

// sortKeys are what threads are listed by.
var sortKeys = map[string]func(*thread) int64{
	"created_at": func(t *thread) int64 { return t.createdAt },
	"updated_at": func(t *thread) int64 { return t.updatedAt },
	"recency_at": func(t *thread) int64 { return t.recencyAt },
}

// threadList pages through the stored threads, the newest first: those without a turn
// are in memory only. None is archived, and all come from the same source.
func (c *Conn) threadList(params json.RawMessage) (answer, *rpcError) {
	in := struct {
		Cursor      *string
		Limit       *int
		SortKey     string
		SourceKinds []string
		Cwd         *string
		Archived    bool
	}{SortKey: "created_at"}
	if problem := decode(params, &in); problem != nil {
		return answer{}, problem
	}
	by, ok := sortKeys[in.SortKey]
	if !ok {
		return answer{}, invalid("Invalid request: unknown variant `%s`, expected one of `created_at`, `updated_at`, `recency_at`, `section_position`", in.SortKey)
	}
	threads := slices.DeleteFunc(slices.Clone(c.server.threads), func(t *thread) bool {
		return t.stage != stageStored || in.Archived || in.Cwd != nil && t.cwd != *in.Cwd ||
			len(in.SourceKinds) > 0 && !slices.Contains(in.SourceKinds, source)
	})
	place := func(t *thread) string {
		return time.UnixMilli(by(t)).UTC().Format("2006-01-02T15:04:05.000Z") + "|" + t.id
	}
	slices.SortFunc(threads, func(a, b *thread) int {
		return cmp.Or(cmp.Compare(by(b), by(a)), strings.Compare(b.id, a.id))
	})
	if in.Cursor != nil {
		after := slices.IndexFunc(threads, func(t *thread) bool { return place(t) == *in.Cursor })
		if after < 0 {
			return answer{}, invalid("invalid cursor: %s", *in.Cursor)
		}
		threads = threads[after+1:]
	}
	limit := threadsPage
	if in.Limit != nil {
		limit = max(*in.Limit, 1)
	}
	page := struct {
		Data            []threadWire `json:"data"`
		NextCursor      *string      `json:"nextCursor"`
		BackwardsCursor *string      `json:"backwardsCursor"`
	}{Data: []threadWire{}}
	for _, t := range threads[:min(limit, len(threads))] {
		page.Data = append(page.Data, t.wire(false))
	}
	if len(threads) > limit {
		next := place(threads[limit-1])
		page.NextCursor = &next
	}
	if len(threads) > 0 {
		back := place(threads[0])
		page.BackwardsCursor = &back
	}
	return answer{value: page}, nil
}
