package crash

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"deskbridge/adapters/sandbox/appserver"
	"deskbridge/adapters/sandbox/feishu"
	"deskbridge/adapters/sandbox/model"
	"deskbridge/matrix"
)

// Load are people who write, a platform that brings events again, and the moments at
// which the bridge is to be killed. A moment is counted in facts that the stand-ins
// see since the bridge was started: a call or its answer, an event sent or
// acknowledged, a message, a question to the model.
type Load struct {
	desk *matrix.Desk
	rand *rand.Rand

	serial    int // of what people write
	connected int // clients that the platform knew of last

	mu        sync.Mutex
	facts     int   // so far, of those that the kill waits for
	plan      []act // by fact
	questions int   // to be seen before the facts count that the kill waits for
	left      int   // facts until the kill; 0: it is not waited for
	due       chan struct{}
	sent      map[string]int // deliveries of each event when this life began
}

// act is what happens on the platform at a fact, of those that the kill waits for; at 0
// it happens at once.
type act struct {
	at int
	do func(*feishu.Platform)
}

// NewLoad begins to count the facts of a desk. Chance is the source of all that the
// load does.
func NewLoad(d *matrix.Desk, chance *rand.Rand) *Load {
	l := &Load{desk: d, rand: chance}
	d.OnPlatform(func(p *feishu.Platform) { p.OnChange(func() { l.changed(p) }) })
	return l
}

// Life is one life of the bridge: a fact is drawn at which it is to be killed, the
// latest-th at most. Until then people write every few facts, so that there always are
// more to come. If it is to work before, the facts count from the first question to the
// model on: what the kills before left open is found out by then, and turns go on. The
// channel is closed at that fact.
func (l *Load) Life(latest int, works bool) <-chan struct{} {
	r := l.rand.Float64()
	left, questions := 1+int(r*r*float64(latest)), 0
	if works {
		questions = 1
	}
	acts := []act{{0, l.text()}, {0, l.text()}, {0, l.text()}}
	for when := 1; when <= left; when += 1 + l.rand.IntN(3) {
		acts = append(acts, act{when, l.write()})
	}
	if l.rand.IntN(2) == 0 {
		acts = append(acts, act{0, l.trouble()})
	}
	due := make(chan struct{})
	l.desk.OnPlatform(func(p *feishu.Platform) {
		sent := map[string]int{}
		for _, e := range p.Events() {
			sent[e.ID] = e.Deliveries
		}
		l.mu.Lock()
		l.facts, l.questions, l.left, l.plan, l.due, l.sent = 0, questions, left, acts, due, sent
		l.mu.Unlock()
	})
	return due
}

// Asked counts a question to the model. It may be called from any goroutine.
func (l *Load) Asked() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.questions = max(0, l.questions-1)
	l.countdown()
}

// countdown counts a fact that the kill waits for.
func (l *Load) countdown() {
	if l.left == 0 || l.questions > 0 {
		return
	}
	l.facts++
	if l.left--; l.left == 0 {
		close(l.due)
	}
}

// String is how far the load has come in this life of the bridge.
func (l *Load) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%d facts were seen, %d things are still to happen, and the kill waits for %d questions and %d facts", l.facts, len(l.plan), l.questions, l.left)
}

// count counts a fact of the platform, and takes the acts that are due.
func (l *Load) count() (acts []act) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.countdown()
	later := l.plan[:0:0]
	for _, a := range l.plan {
		if a.at <= l.facts {
			acts = append(acts, a)
		} else {
			later = append(later, a)
		}
	}
	l.plan = later
	return acts
}

func (l *Load) changed(p *feishu.Platform) {
	for _, a := range l.count() {
		a.do(p)
	}
	if now := p.Connections(); now != l.connected {
		l.connected = now
		if now == 1 {
			l.redeliver(p)
		}
	}
}

// redeliver brings what was not acknowledged again, as the platform does within hours,
// as soon as somebody is there to take it; and some of what was.
func (l *Load) redeliver(p *feishu.Platform) {
	events := p.Events()
	for i, e := range events {
		if !e.Acknowledged || i > len(events)-20 && e.Deliveries < 3 && i%5 == 0 {
			p.Redeliver(e.ID)
		}
	}
}

// Rest lets what is left of a plan happen: people write to a bridge that is not there,
// and the platform is well again.
func (l *Load) Rest() {
	l.desk.OnPlatform(func(p *feishu.Platform) {
		l.mu.Lock()
		acts := l.plan
		l.plan = nil
		l.mu.Unlock()
		for _, a := range acts {
			a.do(p)
		}
		p.ClearFaults()
	})
}

// Events are the messages that the platform has sent to the bridge in this life.
func (l *Load) Events() (all []Event) {
	l.desk.OnPlatform(func(p *feishu.Platform) {
		chats := map[string]string{}
		for _, c := range l.desk.Chats {
			for _, m := range p.Messages(c.ID) {
				chats[m.ID] = c.ID
			}
		}
		for _, e := range p.Events() {
			if e.Deliveries > l.sent[e.ID] {
				all = append(all, Event{e.MessageID, chats[e.MessageID]})
			}
		}
	})
	return all
}

// write draws a message: a text, mostly, which in a running turn is a steer.
func (l *Load) write() func(*feishu.Platform) {
	switch l.rand.IntN(16) {
	case 0:
		return l.say("/stop")
	case 1:
		return l.say("/new")
	}
	return l.text()
}

// text draws a text.
func (l *Load) text() func(*feishu.Platform) {
	l.serial++
	ends := []string{"", " fails", " mute", " command", " command", "", "", "", "", ""}[l.rand.IntN(10)]
	return l.say(fmt.Sprintf("m%d%s %d", l.serial, ends, 5+l.rand.IntN(200)))
}

// say lets somebody say it.
func (l *Load) say(text string) func(*feishu.Platform) {
	c := l.desk.Chats[l.rand.IntN(len(l.desk.Chats))]
	return func(p *feishu.Platform) { l.desk.SayIn(p, c, text) }
}

// trouble draws a fault of the platform that passes.
func (l *Load) trouble() func(*feishu.Platform) {
	reply := feishu.Match{Method: "POST", Path: "/open-apis/im/v1/messages/*/reply"}
	often := reply
	often.Times = -1
	slow := time.Duration(5+l.rand.IntN(50)) * time.Millisecond
	tooFrequent := feishu.Fault{Match: often, Kind: feishu.Refuse, Code: 230020}
	fault := []feishu.Fault{
		// Nothing but this leaves an outcome in the outbox that no attempt is made at.
		tooFrequent, tooFrequent, tooFrequent, tooFrequent, tooFrequent,
		{Match: reply, Kind: feishu.Slow, Delay: slow},
		{Match: reply, Kind: feishu.LostAfter},
		{Match: reply, Kind: feishu.LostBefore},
		{Match: feishu.Match{Method: feishu.EventMethod}, Kind: feishu.Duplicate},
		{Match: feishu.Match{Method: feishu.EventMethod}, Kind: feishu.LostAfter},
	}[l.rand.IntN(10)]
	return func(p *feishu.Platform) { p.Inject(fault) }
}

// answer is what a text asks of the model: how long its turn takes, and how it ends.
type answer struct {
	took time.Duration
	ends string // a word of the text, such as "fails"
}

func answerTo(text string) answer {
	words := strings.Fields(text)
	ms, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		panic(err) // the text is not one of the load's
	}
	return answer{time.Duration(ms) * time.Millisecond, words[1]}
}

// Script is the model of a scripted app-server, which tells fact of each question. A
// reply has all texts of its turn.
func Script(fact func()) appserver.Script {
	return func(ask appserver.Ask) []appserver.Step {
		fact()
		a := answerTo(ask.LastText())
		reply := appserver.Say("reply to: " + strings.Join(ask.Texts, ", "))
		switch a.ends {
		case "fails":
			return []appserver.Step{appserver.Wait(a.took), appserver.Fail("boom")}
		case "mute":
			return []appserver.Step{appserver.Wait(a.took)}
		case "command":
			return []appserver.Step{appserver.Command("make", "done", a.took), reply}
		}
		return []appserver.Step{appserver.Wait(a.took), reply}
	}
}

// ModelScript is Script for the model of a real Codex, which runs no command. A reply
// has the last text.
func ModelScript(fact func()) model.Script {
	return func(r model.Request) model.Reply {
		fact()
		a := answerTo(r.LastText())
		gate := model.NewGate()
		time.AfterFunc(a.took, gate.Open)
		switch a.ends {
		case "fails":
			return model.Fail("boom").Held(gate)
		case "mute":
			return model.Do().Held(gate)
		}
		return model.Echo(r).Held(gate)
	}
}
