package appserver

import (
	"fmt"
	"testing"
	"time"
)

// TestThreadsAreListedAsTheRealServerDoes holds what was measured of thread/list: what
// is listed, in which order, by which pages, and what is refused.
func TestThreadsAreListedAsTheRealServerDoes(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	list := func(params string) (previews []string, next string) {
		answered := c.must("thread/list", params)
		for _, th := range field[[]struct{ Preview string }](c, answered, "data") {
			previews = append(previews, th.Preview)
		}
		return previews, field[string](c, answered, "nextCursor")
	}
	var threads []string
	for i, text := range []string{"one", "two", "three"} {
		threads = append(threads, c.thread())
		c.start(threads[i], text)
		s.clock.Advance(2 * time.Second)
	}
	c.thread() // without a turn
	c.start(threads[0], "more")
	s.clock.Advance(2 * time.Second)

	listed := func(name, params string, want ...string) {
		t.Helper()
		previews, _ := list(params)
		expect(t, name, want, previews)
	}
	listed("by creation", `{}`, "three", "two", "one")
	listed("by use", `{"sortKey":"updated_at","sourceKinds":["cli","vscode"]}`, "one", "three", "two")
	listed("another source", `{"sourceKinds":["exec"]}`)
	listed("another folder", `{"cwd":"/no/such"}`)
	listed("archived", `{"archived":true}`)
	first, next := list(`{"sortKey":"recency_at","limit":2}`)
	expect(t, "the first page", []string{"one", "three"}, first)
	listed("the second page", fmt.Sprintf(`{"sortKey":"recency_at","limit":2,"cursor":%q}`, next), "two")
	expect(t, "a cursor of nothing", "-32600 invalid cursor: zz", c.refused("thread/list", `{"cursor":"zz"}`))
	expect(t, "an unknown order", "-32600 Invalid request: unknown variant `zz`, expected one of `created_at`, `updated_at`, `recency_at`, `section_position`",
		c.refused("thread/list", `{"sortKey":"zz"}`))
}
