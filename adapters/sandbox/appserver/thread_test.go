package appserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestEventsOfATurnGoToSubscribersAndStatusToAll(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	owner, resumed, other, unknown := s.hello(), s.hello(), s.hello(), s.dial()
	thread := owner.thread()
	owner.start(thread, "one")
	owner.ended(1)
	resumed.must("thread/resume", fmt.Sprintf(`{"threadId":%q,"excludeTurns":true}`, thread))
	// Starting a turn does not subscribe.
	other.start(thread, "two")
	owner.ended(2)

	turn := []string{"turn/started", "item/started", "item/completed", "item/started", "item/completed"}
	busy := append([]string{"thread/status/changed"}, turn...)
	busy = append(busy, "thread/status/changed", "turn/completed")
	idle := []string{"thread/started", "thread/status/changed", "thread/status/changed"}
	expect(t, "owner", append(append([]string{"thread/started"}, busy...), busy...), owner.methods())
	expect(t, "resumed", append(idle, busy...), resumed.methods())
	expect(t, "other", append(idle, "thread/status/changed", "thread/status/changed"), other.methods())
	expect(t, "uninitialised", nil, unknown.methods())
}

func TestUnsubscribingEndsTheEvents(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	thread := c.thread()
	params := fmt.Sprintf(`{"threadId":%q}`, thread)
	for _, want := range []string{"unsubscribed", "notSubscribed"} {
		expect(t, "status", want, field[string](c, c.must("thread/unsubscribe", params), "status"))
	}
	c.start(thread, "one")
	s.clock.Advance(time.Second)
	expect(t, "notifications", []string{"thread/started", "thread/status/changed", "thread/status/changed"}, c.methods())
	expect(t, "loaded", []string{thread}, field[[]string](c, c.must("thread/loaded/list", `{}`), "data"))
	expect(t, "an unknown thread", "notLoaded",
		field[string](c, c.must("thread/unsubscribe", `{"threadId":"00000000-0000-7000-8000-000000000000"}`), "status"))
}

func TestAThreadWithoutAStoredTurnSaysSoInDifferentWays(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	thread := c.thread()
	params := fmt.Sprintf(`{"threadId":%q}`, thread)
	withTurns := fmt.Sprintf(`{"threadId":%q,"includeTurns":true}`, thread)
	const unsupported = "-32601 list_turns is not supported yet"

	expect(t, "fresh, list", "-32600 thread "+thread+" is not materialized yet; "+
		"thread/turns/list is unavailable before first user message", c.refused("thread/turns/list", params))
	expect(t, "fresh, resume", "-32600 no rollout found for thread id "+thread, c.refused("thread/resume", params))
	c.must("thread/read", params)
	expect(t, "fresh, read with turns", unsupported, c.refused("thread/read", withTurns))
	expect(t, "opened, list", unsupported, c.refused("thread/turns/list", params))
	expect(t, "opened, resume", unsupported, c.refused("thread/resume", params))
	c.must("thread/read", params)

	c.start(thread, "one")
	expect(t, "beginning, list", unsupported, c.refused("thread/turns/list", params))
	expect(t, "beginning, read with turns", unsupported, c.refused("thread/read", withTurns))
	if got := c.refused("thread/read", params); !strings.HasPrefix(got, "-32603 failed to read thread: ") {
		t.Errorf("beginning, read: %s", got)
	}
	if !s.clock.AdvanceUntil(time.Second, func() bool { return c.count("turn/started") == 1 }) {
		t.Fatal("no turn/started")
	}
	expect(t, "begun", []string{"inProgress"}, c.history(thread))
}

func TestHistoryInOneCallIsDeprecated(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	thread := c.thread()
	for i, text := range []string{"one", "two"} {
		c.start(thread, text)
		c.ended(i + 1)
	}
	for _, call := range []struct{ method, params string }{
		{"thread/read", `{"threadId":%q,"includeTurns":true}`},
		{"thread/resume", `{"threadId":%q}`},
	} {
		before := len(c.got)
		result := c.must(call.method, fmt.Sprintf(call.params, thread))
		turns := field[[]struct{ Items []struct{ ClientID string } }](c, result, "thread", "turns")
		if len(turns) != 2 || turns[0].Items[0].ClientID != "om_one" {
			t.Errorf("%s: turns %v, want two, oldest first", call.method, turns)
		}
		if !strings.Contains(string(c.got[before]), `"method":"deprecationNotice"`) {
			t.Errorf("%s: first frame %s, want a deprecationNotice", call.method, c.got[before])
		}
	}
}

func TestTurnsAreListedInPages(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	thread := c.thread()
	var ids []string
	for i := range 5 {
		ids = append(ids, c.start(thread, fmt.Sprint(i)))
		c.ended(i + 1)
	}
	type listed struct {
		Data []struct {
			ID    string
			Items []struct{ Type string }
		}
		NextCursor, BackwardsCursor *string
	}
	list := func(extra string) (turns []string, page listed) {
		t.Helper()
		result := c.must("thread/turns/list", fmt.Sprintf(`{"threadId":%q%s}`, thread, extra))
		if err := json.Unmarshal(result, &page); err != nil {
			t.Fatal(err)
		}
		for _, turn := range page.Data {
			turns = append(turns, turn.ID)
		}
		return turns, page
	}
	first, page := list(`,"limit":2`)
	expect(t, "first page", []string{ids[4], ids[3]}, first)
	second, page2 := list(fmt.Sprintf(`,"limit":2,"cursor":%q`, *page.NextCursor))
	expect(t, "second page", []string{ids[2], ids[1]}, second)
	last, end := list(fmt.Sprintf(`,"limit":2,"cursor":%q`, *page2.NextCursor))
	expect(t, "last page", []string{ids[0]}, last)
	if end.NextCursor != nil {
		t.Errorf("a cursor after the last page: %s", *end.NextCursor)
	}
	back, _ := list(fmt.Sprintf(`,"sortDirection":"asc","cursor":%q`, *end.BackwardsCursor))
	expect(t, "and back", ids, back)
	one, _ := list(`,"limit":0`)
	expect(t, "limit 0 is 1", []string{ids[4]}, one)

	for view, want := range map[string]int{"notLoaded": 0, "summary": 2, "full": 2} {
		_, page := list(fmt.Sprintf(`,"itemsView":%q`, view))
		if got := len(page.Data[0].Items); got != want {
			t.Errorf("view %s shows %d items, want %d", view, got, want)
		}
	}
	for extra, want := range map[string]string{
		`,"cursor":"garbage"`:     "-32600 invalid cursor: garbage",
		`,"cursor":"{}"`:          "-32600 invalid cursor: {}",
		`,"itemsView":"bogus"`:    "-32600 Invalid request: unknown variant `bogus`, expected one of `notLoaded`, `summary`, `full`",
		`,"sortDirection":"down"`: "-32600 Invalid request: unknown variant `down`, expected `asc` or `desc`",
	} {
		expect(t, extra, want, c.refused("thread/turns/list", fmt.Sprintf(`{"threadId":%q%s}`, thread, extra)))
	}
	unknown := fmt.Sprintf(`{"requestedThreadId":%q,"rolloutOrdinal":99}`, thread)
	expect(t, "a cursor to nowhere", "-32600 invalid cursor: "+unknown,
		c.refused("thread/turns/list", fmt.Sprintf(`{"threadId":%q,"cursor":%q}`, thread, unknown)))
}

func TestSettingsOfAThreadAreKept(t *testing.T) {
	t.Parallel()
	s := newSim(t, Echo)
	c := s.hello()
	result := c.must("thread/start", `{"cwd":"/here","model":"m-1","approvalPolicy":"never"}`)
	for name, want := range map[string]string{"cwd": "/here", "model": "m-1", "approvalPolicy": "never"} {
		expect(t, name, want, field[string](c, result, name))
	}
	defaults := c.must("thread/start", `{}`)
	for name, want := range map[string]string{"cwd": "/", "model": "gpt-5.1", "approvalPolicy": "on-request"} {
		expect(t, name, want, field[string](c, defaults, name))
	}
}
