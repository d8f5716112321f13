package feishu

import (
	"net/http"
	"slices"
	"strconv"
)

// The platform's page sizes.
const (
	pageDefault = 20
	pageLimit   = 50
)

// listMessages lists a chat, or a topic: container_id_type "chat" or "thread". In an
// ordinary group the chat holds of a topic only its first message. start_time and
// end_time are seconds, both inclusive, and not for topics. The messages of a group
// are listed only for an app with [App.AllGroupMessages]. A page token names the
// last message of the page before, so messages that arrive meanwhile shift nothing.
func (p *Platform) listMessages(c *call) Response {
	found, refusal := p.contained(c)
	if refusal != nil {
		return *refusal
	}
	found, detail := inWindow(found, c.Query.Get("start_time"), c.Query.Get("end_time"))
	if detail != "" {
		return p.badParameter(detail)
	}
	switch c.Query.Get("sort_type") {
	case "", "ByCreateTimeAsc":
	case "ByCreateTimeDesc":
		slices.Reverse(found)
	default:
		return p.badParameter("invalid sort_type")
	}
	size := pageDefault
	if text := c.Query.Get("page_size"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > pageLimit {
			return p.badParameter("invalid page_size")
		}
		size = n
	}
	if token := c.Query.Get("page_token"); token != "" {
		last := slices.IndexFunc(found, func(m *message) bool { return pageToken(m) == token })
		if last < 0 {
			return p.badParameter("invalid page_token")
		}
		found = found[last+1:]
	}
	page := itemList{Items: []messageItem{}}
	if len(found) > size {
		found = found[:size]
		page.HasMore, page.PageToken = true, pageToken(found[size-1])
	}
	for _, m := range found {
		page.Items = append(page.Items, item(m))
	}
	return p.ok(page)
}

// contained returns the messages of the container that a request names, oldest
// first.
func (p *Platform) contained(c *call) ([]*message, *Response) {
	refuse := func(r Response) ([]*message, *Response) { return nil, &r }
	id := c.Query.Get("container_id")
	var within *chat
	var keep func(*message) bool
	switch c.Query.Get("container_id_type") {
	case "chat":
		if within = p.chats[id]; within == nil {
			return refuse(p.badParameter("invalid container_id"))
		}
		keep = func(m *message) bool {
			return within.kind != Group || m.topic == "" || m.topic == m.ID
		}
	case "thread":
		if within = p.chatOfThread(id); within == nil {
			return refuse(p.badParameter("invalid container_id"))
		}
		if c.Query.Get("start_time") != "" || c.Query.Get("end_time") != "" {
			return refuse(p.badParameter("a thread has no time range"))
		}
		keep = func(m *message) bool { return m.ThreadID == id }
	default:
		return refuse(p.badParameter("invalid container_id_type"))
	}
	if !slices.Contains(within.apps, c.app) {
		return refuse(p.refuse(http.StatusBadRequest, codeBotOutside, ""))
	}
	if within.kind != P2P && !c.app.AllGroupMessages {
		return refuse(p.refuse(http.StatusBadRequest, codePermission, ""))
	}
	var found []*message
	for _, m := range within.messages {
		if keep(m) {
			found = append(found, m)
		}
	}
	return found, nil
}

func (p *Platform) chatOfThread(threadID string) *chat {
	if threadID == "" {
		return nil
	}
	for n := 1; n <= p.serial["oc"]; n++ {
		c := p.chats["oc_"+strconv.Itoa(n)]
		if slices.ContainsFunc(c.messages, func(m *message) bool { return m.ThreadID == threadID }) {
			return c
		}
	}
	return nil
}

// inWindow keeps what was created between two times; a fault of the parameters is
// told in detail.
func inWindow(all []*message, start, end string) (kept []*message, detail string) {
	from, to := int64(0), int64(1<<62)
	var err error
	if start != "" {
		if from, err = strconv.ParseInt(start, 10, 64); err != nil {
			return nil, "invalid start_time"
		}
	}
	if end != "" {
		if to, err = strconv.ParseInt(end, 10, 64); err != nil || to < from {
			return nil, "invalid end_time"
		}
	}
	for _, m := range all {
		if s := m.Created.Unix(); s >= from && s <= to {
			kept = append(kept, m)
		}
	}
	return kept, ""
}

func pageToken(m *message) string { return "after_" + m.ID }
