package matrix

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"deskbridge/adapters/codex"
	"deskbridge/adapters/feishu"
	"deskbridge/adapters/sandbox/appserver"
	platform "deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sched"
	"deskbridge/cmd/deskbridge/daemon"
	"deskbridge/matrix/audit"
	"deskbridge/store"
	"deskbridge/transitions"
)

// simStart is when every simulation begins.
var simStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const simApp, simSecret = "cli_sim", "sim-secret"

// simFolder is the folder that Codex works in.
const simFolder = "/desk"

// World is a whole desk in one goroutine under virtual time: the bridge with its
// real ledger, engine, tables and adapters' decisions, and the stand-ins' cores
// below it. The same calls give the same transcript.
type World struct {
	Time     *sched.Virtual
	Platform *platform.Platform
	Codex    *appserver.Server
	Chat     string
	User     string

	dir         string
	model       *simModel
	said        []string // ids of what the person wrote, oldest first
	removed     []audit.Turn
	ledger      *store.Ledger
	bridge      *daemon.Bridge
	life        *life
	conn        *platform.Conn
	lives       int
	behind      time.Duration // of the clock of the bridge's machine
	generations int
	transcript  strings.Builder
	shown       int
}

// NewWorld makes a desk whose data is kept in dir. The bridge is not running. The
// script is what the model answers; nil means [appserver.Echo].
func NewWorld(dir string, script appserver.Script) *World {
	if script == nil {
		script = appserver.Echo
	}
	w := &World{Time: sched.NewVirtual(simStart), dir: dir, generations: 1}
	w.model = &simModel{script: script, texts: map[string][]string{}}
	w.Codex = appserver.New(w.Time, appserver.Options{Script: w.model.answer})
	w.Platform = platform.New(w.Time, platform.Options{})
	w.Platform.AddApp(platform.App{ID: simApp, Secret: simSecret, Name: "Codex"})
	w.User = w.Platform.AddUser("a")
	w.Chat = w.Platform.AddP2P(simApp, w.User)
	w.Platform.OnChange(w.watchChat)
	return w
}

// Boot starts a life of the bridge.
func (w *World) Boot() error {
	ledger, err := store.Open(context.Background(), w.dir)
	if err != nil {
		return err
	}
	w.lives++
	w.note("bridge", "started")
	w.ledger, w.life = ledger, &life{Scheduler: w.Time, behind: w.behind}
	w.bridge = daemon.New(daemon.Parts{
		Scheduler: w.life,
		Ledger:    ledger,
		Codex: codex.Options{Workdir: simFolder, Dialer: &simDialer{
			life: w.life, server: w.Codex,
			generation: func() string { return fmt.Sprint("server ", w.generations) },
			told:       func(what string) { w.note("codex ←", what) },
		}},
		API:      &simAPI{life: w.life, platform: w.Platform, app: simApp, pass: simSecret},
		Access:   feishu.Access{AllowUsers: []string{w.User}},
		Language: transitions.Chinese, Unreachable: time.Minute,
		RunID:      fmt.Sprint("life ", w.lives),
		Rand:       func() float64 { return 0.5 },
		Log:        slog.New(slog.DiscardHandler),
		Journalled: w.journalled,
	})
	if err := w.bridge.Start(context.Background()); err != nil {
		return err
	}
	sink := &simSink{world: w, life: w.life}
	sink.conn = w.Platform.Connect(simApp, sink)
	w.conn = sink.conn
	return nil
}

// Kill ends the bridge's life as SIGKILL does: nothing of it runs any more, and
// only what was committed remains.
func (w *World) Kill() error {
	w.note("bridge", "killed")
	w.life.over = true
	w.conn.Closed()
	return w.ledger.Close()
}

// SetClockBack sets the clock of the bridge's machine back. The next life of the bridge
// sees it: within one, time does not go back, as [sched.Scheduler] says.
func (w *World) SetClockBack(d time.Duration) {
	w.note("clock", "set back by "+d.String())
	w.behind += d
}

// KillCodex kills the app-server and starts another process.
func (w *World) KillCodex() {
	w.EndCodex()
	w.BeginCodex()
}

// EndCodex kills the app-server.
func (w *World) EndCodex() {
	w.note("codex", "killed")
	w.Codex.Kill()
}

// BeginCodex starts another process after [World.EndCodex].
func (w *World) BeginCodex() {
	w.note("codex", "started again")
	w.generations++
	w.Codex.Restart()
}

// LoseThread takes a stored thread away while no server runs. The audit still knows
// what was in it.
func (w *World) LoseThread(id string) error {
	asker, err := w.ask()
	if err != nil {
		return err
	}
	turns, err := readTurns(asker.call, []string{id})
	asker.conn.Close()
	w.removed = append(w.removed, turns...)
	w.EndCodex()
	w.Codex.Remove(id)
	w.BeginCodex()
	return err
}

// DropCodex breaks the bridge's connection to the app-server, which goes on.
func (w *World) DropCodex() {
	w.note("codex", "the connection breaks")
	w.Codex.Drop()
}

// Say lets the person write, and returns the message's id.
func (w *World) Say(text string) string {
	id := w.Platform.Say(w.Chat, w.User, text)
	w.said = append(w.said, id)
	return id
}

// Reply lets the person write as a reply to a message, and returns the new one's id.
func (w *World) Reply(to, text string) string {
	id := w.Platform.SayWith(w.Chat, w.User, text, platform.SayOpts{ParentID: to})
	w.said = append(w.said, id)
	return id
}

// Rest lets time pass until nothing is under way, at most for limit.
func (w *World) Rest(limit time.Duration) { w.Time.Advance(limit) }

// Transcript is what happened, a line each: who, what, and when in milliseconds.
func (w *World) Transcript() string { return w.transcript.String() }

func (w *World) note(who, what string) {
	ms := w.Time.Now().Sub(simStart).Milliseconds()
	fmt.Fprintf(&w.transcript, "%7d  %-9s %s\n", ms, who, what)
}

func (w *World) journalled(e store.Entry) {
	line := e.Fact.FactName()
	if e.Result.Ignored {
		line += " (ignored)"
	}
	if e.From != e.Result.State {
		line += fmt.Sprintf(": %s → %s", e.From, e.Result.State)
	}
	w.note("ledger", line)
	w.note("", "  "+e.Result.Why)
}

// watchChat notes what is new in the chat.
func (w *World) watchChat() {
	messages := w.Platform.Messages(w.Chat)
	for ; w.shown < len(messages); w.shown++ {
		m := messages[w.shown]
		who := "person"
		if m.Sender.Type == "app" {
			who = "chat"
		}
		line := fmt.Sprintf("%s: %s", m.ID, m.Text())
		if m.ParentID != "" {
			line += fmt.Sprintf(" (to %s)", m.ParentID)
		}
		w.note(who, line)
	}
}
