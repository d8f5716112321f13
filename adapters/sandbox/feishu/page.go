package feishu

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Page names what the chat page shows: one chat, seen by one of its people. The zero
// value means that there is no page.
type Page struct {
	ChatID, UserID string
}

//go:embed page
var pageFiles embed.FS

// pageHistory is how many of the latest messages the page shows.
const pageHistory = 300

// pageState is what the page draws; it is sent whole after every change.
type pageState struct {
	Title string `json:"title"`
	// Connected counts the long connections, i.e. bridges.
	Connected int           `json:"connected"`
	Messages  []pageMessage `json:"messages"`
}

type pageMessage struct {
	ID        string     `json:"id"`
	From      string     `json:"from"` // user (who looks at the page), bot, or other
	Name      string     `json:"name"`
	Text      string     `json:"text"`
	Time      int64      `json:"time"` // ms
	Quote     *pageQuote `json:"quote,omitempty"`
	Reactions []string   `json:"reactions,omitempty"` // emoji types
}

type pageQuote struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func (s *Server) routePage(mux *http.ServeMux) {
	file := func(name, contentType string) http.HandlerFunc {
		return s.sameMachine(func(w http.ResponseWriter, _ *http.Request) {
			b, err := pageFiles.ReadFile("page/" + name)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			h := w.Header()
			h.Set("Content-Type", contentType+"; charset=utf-8")
			h.Set("Cache-Control", "no-store")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
				"img-src data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")
			write(w, Response{Status: http.StatusOK, Body: b})
		})
	}
	mux.HandleFunc("GET /{$}", file("index.html", "text/html"))
	mux.HandleFunc("GET /page/chat.css", file("chat.css", "text/css"))
	mux.HandleFunc("GET /page/chat.js", file("chat.js", "text/javascript"))
	mux.HandleFunc("GET /page/events", s.sameMachine(s.servePageEvents))
	mux.HandleFunc("POST /page/say", s.sameMachine(s.servePageSay))
}

// sameMachine refuses requests that name another host: a page from elsewhere whose
// name was pointed at the loopback address would be of the same origin otherwise.
func (s *Server) sameMachine(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		port := s.host[strings.LastIndexByte(s.host, ':'):] // ":port"
		if r.Host != s.host && r.Host != "localhost"+port {
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		page, err := s.currentPage()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		if page == (Page{}) {
			http.Error(w, "there is no chat page", http.StatusNotFound)
			return
		}
		next(w, r)
	}
}

// currentPage reads the page's chat and user, which Setup has set on the loop.
func (s *Server) currentPage() (page Page, err error) {
	err = s.Do(func(*Platform) { page = s.page })
	return page, err
}

// servePageEvents sends the state of the chat now and after every change, as
// server-sent events.
func (s *Server) servePageEvents(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	stop := func() {}
	if s.Do(func(p *Platform) {
		stop = p.OnChange(func() {
			select {
			case changes <- struct{}{}:
			default:
			}
		})
	}) != nil {
		return
	}
	defer s.loop.Post(func() { stop() })
	last := ""
	for {
		select {
		case <-changes:
		case <-r.Context().Done():
			return
		}
		var state string
		if s.Do(func(p *Platform) { state = string(encode(p.pageState(s.page))) }) != nil {
			return
		}
		if state == last {
			continue
		}
		last = state
		if _, err := fmt.Fprintf(w, "data: %s\n\n", state); err != nil {
			return // the page was closed
		}
		if out.Flush() != nil {
			return
		}
	}
}

// servePageSay takes what the person at the page wrote. Only the page itself may: a
// request must name its own origin.
func (s *Server) servePageSay(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "http://"+r.Host {
		http.Error(w, "only the chat page itself may write", http.StatusForbidden)
		return
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(requestLimits["text"])))
	if err != nil {
		http.Error(w, "the text is too long", http.StatusRequestEntityTooLarge)
		return
	}
	var body struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &body) != nil || strings.TrimSpace(body.Text) == "" {
		http.Error(w, "there is no text", http.StatusBadRequest)
		return
	}
	var id string
	if err := s.Do(func(p *Platform) { id = p.Say(s.page.ChatID, s.page.UserID, body.Text) }); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	write(w, Response{Status: http.StatusOK, Body: encode(map[string]string{"message_id": id})})
}

func (p *Platform) pageState(page Page) pageState {
	c := p.mustChat(page.ChatID)
	state := pageState{Title: p.chatTitle(c), Connected: p.Connections(), Messages: []pageMessage{}}
	shown := p.Messages(c.id)
	if len(shown) > pageHistory {
		shown = shown[len(shown)-pageHistory:]
	}
	for _, m := range shown {
		view := pageMessage{
			ID: m.ID, From: "other", Name: p.senderName(m.Sender),
			Text: display(m), Time: m.Created.UnixMilli(),
		}
		switch {
		case m.Sender.ID == page.UserID:
			view.From = "user"
		case m.Sender.Type == "app":
			view.From = "bot"
		}
		if parent := p.messages[m.ParentID]; parent != nil {
			view.Quote = &pageQuote{Name: p.senderName(parent.Sender), Text: display(parent.Message)}
		}
		for _, r := range m.Reactions {
			view.Reactions = append(view.Reactions, r.Emoji)
		}
		state.Messages = append(state.Messages, view)
	}
	return state
}

// chatTitle is the name of the first bot: a demo chat has one.
func (p *Platform) chatTitle(c *chat) string {
	for _, a := range c.apps {
		if a.Name != "" {
			return a.Name
		}
	}
	return c.id
}

func (p *Platform) senderName(s Sender) string {
	if a := p.apps[s.ID]; a != nil && a.Name != "" {
		return a.Name
	}
	if name := p.users[s.ID]; name != "" {
		return name
	}
	return s.ID
}
