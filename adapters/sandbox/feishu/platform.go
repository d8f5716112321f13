package feishu

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"deskbridge/adapters/sched"
)

// Options of a platform. The zero value gives the platform's documented figures.
type Options struct {
	// TenantKey is the tenant of every app and user; default "tenant_1".
	TenantKey string
	// Redelivery holds the waits between the tries of an event that is not
	// acknowledged; nil means 15 s, 5 min, 1 h, 6 h, empty means no second try.
	Redelivery []time.Duration
	// TokenTTL is the life of a tenant token; default 2 h.
	TokenTTL time.Duration
	// ConnectURL is the address that the endpoint call hands out for the long
	// connection, without its query; default "ws://127.0.0.1/ws".
	ConnectURL string
	// ClientConfig goes out with the endpoint call and with every pong.
	ClientConfig ClientConfig
}

// ClientConfig tells a client how to keep its long connection. The SDK takes an
// absent field as 0 (pings without pause, no reconnect), so all four are always
// written. The zero value stands for {-1, 1, 0, 30}: reconnect for ever, at once,
// then every second, ping every 30 s.
type ClientConfig struct {
	ReconnectCount    int `json:"ReconnectCount"`    // -1: without end
	ReconnectInterval int `json:"ReconnectInterval"` // seconds between tries
	ReconnectNonce    int `json:"ReconnectNonce"`    // seconds, the first wait is random below it
	PingInterval      int `json:"PingInterval"`      // seconds
}

// App is a self-built app with a bot.
type App struct {
	ID, Secret string
	// Name is the bot's name as the chat shows it.
	Name string
	// AllGroupMessages stands for the scope im:message.group_msg: without it only
	// messages that mention the bot reach the app from a group, and it may not list
	// a group's messages.
	AllGroupMessages bool
}

type app struct {
	App
	bot   string // the bot's open_id
	conns []*Conn
	turn  int      // counts deliveries, to give every client its turn
	held  []*event // wait until a later event has gone out
	// tokens are all that were issued, the newest last.
	tokens []*token
}

// Platform is the core of the stand-in. Its methods must be called from functions
// that its scheduler runs. A script that names an app, user, chat, message or event
// that does not exist is a bug of the script, and panics; a request that does is
// refused, as the platform refuses it.
type Platform struct {
	sched sched.Scheduler
	opts  Options

	serial   map[string]int
	apps     map[string]*app
	appOrder []*app
	users    map[string]string // open_id → name
	chats    map[string]*chat
	messages map[string]*message
	sent     map[sendKey]sendRecord
	tokens   map[string]*token
	tickets  map[string]*app

	events     map[string]*event
	eventOrder []*event
	deliveries uint64

	faults []*armedFault
	calls  []*Call

	observers    []*observer
	notification bool // a notification of the observers is posted
}

// New returns a platform without apps, users and chats.
func New(s sched.Scheduler, o Options) *Platform {
	if o.TenantKey == "" {
		o.TenantKey = "tenant_1"
	}
	if o.Redelivery == nil {
		o.Redelivery = []time.Duration{15 * time.Second, 5 * time.Minute, time.Hour, 6 * time.Hour}
	}
	if o.TokenTTL == 0 {
		o.TokenTTL = 2 * time.Hour
	}
	if o.ConnectURL == "" {
		o.ConnectURL = "ws://127.0.0.1/ws"
	}
	if o.ClientConfig == (ClientConfig{}) {
		o.ClientConfig = ClientConfig{ReconnectCount: -1, ReconnectInterval: 1, PingInterval: 30}
	}
	return &Platform{
		sched:    s,
		opts:     o,
		serial:   map[string]int{},
		apps:     map[string]*app{},
		users:    map[string]string{},
		chats:    map[string]*chat{},
		messages: map[string]*message{},
		sent:     map[sendKey]sendRecord{},
		tokens:   map[string]*token{},
		tickets:  map[string]*app{},
		events:   map[string]*event{},
	}
}

// AddApp registers an app and returns its bot's open_id (ou_bot_1, …).
func (p *Platform) AddApp(a App) (botOpenID string) {
	if a.ID == "" || p.apps[a.ID] != nil {
		panic(fmt.Sprintf("feishu: app id %q is empty or taken", a.ID))
	}
	added := &app{App: a, bot: p.id("ou_bot")}
	p.apps[a.ID] = added
	p.appOrder = append(p.appOrder, added)
	return added.bot
}

// AddUser registers a person and returns the open_id (ou_1, …). One open_id holds
// for all apps, where the platform gives each app its own.
func (p *Platform) AddUser(name string) (openID string) {
	id := p.id("ou")
	p.users[id] = name
	return id
}

// OnChange calls f after something changed: a message, a reaction, an
// acknowledgement, a client, an entry of the journal. Changes of one function of
// the scheduler are told once, after it. The returned function ends that.
func (p *Platform) OnChange(f func()) (stop func()) {
	o := &observer{f: f}
	p.observers = append(p.observers, o)
	return func() {
		o.f = nil
		kept := p.observers[:0:0]
		for _, other := range p.observers {
			if other != o {
				kept = append(kept, other)
			}
		}
		p.observers = kept
	}
}

type observer struct{ f func() }

func (p *Platform) changed() {
	if p.notification {
		return
	}
	p.notification = true
	p.sched.Post(func() {
		p.notification = false
		for _, o := range p.observers {
			if o.f != nil { // an earlier observer may have stopped it
				o.f()
			}
		}
	})
}

// id returns the next id of a kind: prefix_1, prefix_2, …
func (p *Platform) id(prefix string) string {
	p.serial[prefix]++
	return prefix + "_" + strconv.Itoa(p.serial[prefix])
}

func (p *Platform) mustApp(id string) *app {
	a := p.apps[id]
	if a == nil {
		panic(fmt.Sprintf("feishu: no app %q", id))
	}
	return a
}

// millis writes a time as the platform does: milliseconds, in a string.
func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// encode writes a value of this package as compact JSON, without HTML escapes.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("feishu: a value of our own cannot be encoded: %v", err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
