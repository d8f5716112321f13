package feishu

import (
	"errors"
	"time"

	"deskbridge/transitions"
)

const (
	// lookupPages bounds how much of a chat is read for one message.
	lookupPages = 40
	// lookupSettle is how long after the first attempt a message that is not in the
	// chat is not on its way either: requests end after seconds.
	lookupSettle = 2 * time.Minute
)

// lookup reads whether the message of a part stands in the chat:
//
//	the message replied to ─► its topic, or its chat ─► page after page ─► judge
//
// Its container is asked for, not remembered: a topic may have been opened on it
// since. What was said before that stands in the chat, so that is read too unless the
// message came into the topic as a reply. It is also the one lower bound of time that
// is by the platform's clock.
type lookup struct {
	sender   *Sender
	delivery delivery
	// absent is what to report if the message proves not to be there.
	absent transitions.Report
	done   func(transitions.Report)

	parent Listed
	thread string // the topic that is being read; empty: the chat is
	listed []Listed
	pages  int
}

func (l *lookup) start() {
	l.ask(GetMessage{MessageID: l.delivery.ReplyTo}, func(r Response) {
		l.parent = r.Messages[0]
		l.thread = l.parent.ThreadID
		l.next("")
	})
}

// ask makes a request of the lookup and goes on with its answer.
func (l *lookup) ask(req Request, then func(Response)) {
	l.sender.api.Do(req, func(r Response) {
		switch step := policyOf(Classify(req, r)).Lookup; {
		case step.Do == Settle:
			then(r)
		case step.Do == Retry && l.delivery.attempt.Number < step.Tries:
			l.again(r.RetryAfter, r.Error(req))
		default:
			l.sender.unknown(l.delivery, r.Error(req), l.done)
		}
	})
}

func (l *lookup) next(pageToken string) {
	req := ListMessages{
		ChatID: l.parent.ChatID, ThreadID: l.thread,
		From: at(l.parent.Created), To: l.sender.sched.Now().Add(clockSkew), PageToken: pageToken,
	}
	l.ask(req, func(r Response) {
		for _, m := range r.Messages {
			m.ThreadID = l.thread // where it was listed; a message of a chat can have a topic
			l.listed = append(l.listed, m)
		}
		l.pages++
		complete := !r.HasMore || reaches(r.Messages, l.parent.Created)
		if !complete && l.pages < lookupPages {
			l.next(r.PageToken)
			return
		}
		f := l.delivery.search(l.sender.sched.Now()).judge(l.parent, l.listed, complete)
		if f.verdict == absent && l.thread != "" && l.parent.RootID == "" {
			l.thread = ""
			l.next("")
			return
		}
		l.settle(f)
	})
}

// reaches says that a page, newest first, goes back beyond a time. A topic has no
// other bound; a page in another order proves nothing.
func reaches(page []Listed, from transitions.Millis) bool {
	for i := 1; i < len(page); i++ {
		if page[i].Created > page[i-1].Created {
			return false
		}
	}
	return len(page) > 1 && page[0].Created > page[len(page)-1].Created && page[len(page)-1].Created < from
}

func (l *lookup) settle(f finding) {
	switch rest := lookupSettle - l.sender.sched.Now().Sub(l.delivery.attempt.First); {
	case f.verdict == found:
		l.done(l.delivery.stands(f.message, f.part))
	case f.verdict == unclear:
		l.sender.unknown(l.delivery, errors.New("feishu: "+f.why), l.done)
	case rest > 0:
		l.again(rest, errors.New("feishu: the message is not in the chat; it may be on its way"))
	default:
		l.done(l.absent)
	}
}

// again asks for another attempt: what is looked up may have taken effect.
func (l *lookup) again(after time.Duration, why error) {
	l.done(transitions.Report{Again: &transitions.Again{Sent: true, After: after, Err: why}})
}
