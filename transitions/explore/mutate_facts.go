package explore

import (
	"cmp"

	"deskbridge/transitions"
)

// draw draws a number from 0 to n-1.
type draw func(n int) int

func (d draw) flag() bool { return d(2) == 1 }

func oneOf[T any](below draw, some ...T) T { return some[below(len(some))] }

// figures are what a fact is about: a handful of names, most of the time those that
// the track knows.
type figures struct {
	draw
	message, turn, delivery, request, sender string
	// fresh is a message that the track cannot know.
	fresh string
	// thread is the track's own, and resume the /resume that it carries out.
	thread, resume string
	listed         []string
	link           transitions.Link
	closing        transitions.Closing
	policy         transitions.Policy
	refusal        transitions.Refusal
	// now is later than all that the track remembers, or not.
	now transitions.Millis
}

// often says whether to take what the track knows.
func (d draw) often() bool { return d(4) > 0 }

func (d draw) figures(of *transitions.Data) *figures {
	f := &figures{
		draw: d, fresh: oneOf(d, "m91", "m92", "m93", "m94"), turn: oneOf(d, "t91", "t92", "t93"), request: oneOf(d, "r91", "r92"),
		sender:  oneOf(d, writer, stranger),
		link:    transitions.Link{Connection: oneOf(d, "", "c0", "c90"), Generation: oneOf(d, "", "g0", "g90")},
		closing: oneOf(d, transitions.ClosedByPolicy, transitions.ClosedByVersion, transitions.ClosedByCapability),
		refusal: oneOf(d, transitions.NoActiveTurn, transitions.OtherTurn, transitions.NotSteerable, transitions.ThreadGone, transitions.OtherRefusal),
		policy:  oneOf(d, transitions.Policy{}, transitions.Policy{Approval: "on-request", Sandbox: "readOnly"}, transitions.Policy{Approval: "never", Sandbox: "readOnly"}),
		now:     transitions.Millis(1000 + d(10)),
		thread:  cmp.Or(of.Thread, "th90"), resume: cmp.Or(of.Resume.Message, "gm90"),
	}
	if n := len(of.Recalled); n > 0 && d.often() {
		f.fresh = of.Recalled[d(n)]
	}
	f.message = f.fresh
	if n := len(of.Turns); n > 0 && d.often() {
		f.turn = cmp.Or(of.Turns[d(n)].ID, f.turn)
	} else if n := len(of.Closed); n > 0 && d.flag() {
		f.turn = of.Closed[d(n)]
	}
	if n := len(of.Messages); n > 0 && d.often() {
		m := &of.Messages[d(n)]
		f.message, f.sender = m.ID, oneOf(d, m.Sender, f.sender)
		if d.often() {
			f.turn = cmp.Or(m.Turn, f.turn)
		}
	} else if n := len(of.Turns); n > 0 && d.often() {
		f.message = cmp.Or(of.Turns[d(n)].Start, f.message)
	}
	f.delivery = "outcome:" + f.turn
	if n := len(of.Deliveries); n > 0 && d.often() {
		f.delivery = of.Deliveries[d(n)].ID
	}
	if n := len(of.Requests); n > 0 && d.often() {
		r := &of.Requests[d(n)]
		f.request, f.turn = r.ID, oneOf(d, r.Turn, f.turn)
		f.link.Generation = oneOf(d, r.Generation, f.link.Generation)
		f.link.Connection = oneOf(d, r.Unreplayed, f.link.Connection)
	} else if n := len(of.Settled); n > 0 && d.often() {
		f.request = of.Settled[d(n)]
	}
	for i := range of.Messages {
		if d.flag() {
			f.listed = append(f.listed, of.Messages[i].ID)
		}
	}
	for i := range of.Turns {
		t := &of.Turns[i]
		f.now = max(f.now, t.Missing+oneOf(d, 1, settle))
		if t.Start != "" && d.flag() {
			f.listed = append(f.listed, t.Start)
		}
	}
	return f
}

// maker makes facts of one kind.
type maker struct {
	fact string // its name
	make func(*figures) transitions.Fact
}

// makers are named after the facts that they make.
var makers = func() (named []maker) {
	some := draw(func(int) int { return 0 }).figures(&transitions.Data{})
	for _, m := range factMakers {
		named = append(named, maker{m(some).FactName(), m})
	}
	return named
}()

// factMakers make facts of every kind. A kind of which much can be said has several.
var factMakers = []func(*figures) transitions.Fact{
	// What people write.
	func(f *figures) transitions.Fact {
		return transitions.MessageReceived{Message: f.fresh, Sender: f.sender, Text: "text", Created: f.now}
	},
	func(f *figures) transitions.Fact {
		return transitions.MessageReceived{Message: f.fresh, Sender: f.sender, Text: "text", Created: f.now, Files: []transitions.File{{Key: "k"}}}
	},
	func(f *figures) transitions.Fact {
		return transitions.MessageReceived{Message: f.fresh, Sender: f.sender, Text: "text", Created: oneOf(f.draw, 1, f.now), From: "oc/0", Told: oneOf(f.draw, nil, []transitions.SentenceID{transitions.SaidHeld})}
	},
	func(f *figures) transitions.Fact {
		return transitions.StopRequested{Message: "s" + f.fresh, Sender: f.sender, Created: f.now, Entitled: f.flag()}
	},
	func(f *figures) transitions.Fact {
		return transitions.NewRequested{Message: "n" + f.fresh, Sender: f.sender, Created: f.now, Entitled: f.flag()}
	},
	func(f *figures) transitions.Fact {
		return transitions.ModelRequested{Message: "c" + f.fresh, Sender: f.sender, Model: oneOf(f.draw, "small", "large"), Entitled: f.flag()}
	},
	func(f *figures) transitions.Fact {
		return transitions.ThreadsRequested{Message: "l" + f.fresh, Sender: f.sender}
	},
	func(f *figures) transitions.Fact {
		return transitions.ResumeRequested{Message: "g" + f.fresh, Sender: f.sender, Created: f.now, Number: f.draw(4), Entitled: f.flag()}
	},
	func(f *figures) transitions.Fact {
		return transitions.StaleAnswered{Message: clicked + f.message, About: f.message, By: f.sender, Run: f.flag(), Entitled: f.flag()}
	},
	func(f *figures) transitions.Fact {
		return transitions.StaleAnswered{Message: clicked + f.message, By: f.sender, Run: f.flag()}
	},
	func(f *figures) transitions.Fact { return clickOn(f.request, oneOf(f.draw, f.sender, admin), "accept") },
	// What becomes of it on the desk.
	func(f *figures) transitions.Fact {
		return transitions.AttachmentsReady{Message: f.message, Files: []transitions.File{{Key: "k", Path: "p"}}}
	},
	func(f *figures) transitions.Fact {
		return transitions.AttachmentsFailed{Message: f.message, Files: []transitions.File{{Key: "k", Lost: "no"}}}
	},
	func(f *figures) transitions.Fact { return transitions.MessageRecalled{Message: f.message} },
	func(f *figures) transitions.Fact { return transitions.SenderDismissed{Sender: f.sender} },
	func(f *figures) transitions.Fact {
		return transitions.MessageStale{Message: f.message, Turn: oneOf(f.draw, "", f.turn)}
	},
	func(f *figures) transitions.Fact { return transitions.SendOverdue{Message: f.message} },
	func(f *figures) transitions.Fact { return transitions.HandedOver{Message: f.message} },
	func(f *figures) transitions.Fact { return transitions.BridgeStarted{} },
	func(f *figures) transitions.Fact { return transitions.TrackClosed{Why: f.closing, Policy: f.policy} },
	func(f *figures) transitions.Fact { return transitions.TrackOpened{Why: f.closing, Policy: f.policy} },
	func(f *figures) transitions.Fact { return transitions.ChatClosed{Said: "no"} },
	func(f *figures) transitions.Fact { return transitions.ChatReopened{} },
	// What is heard of the thread.
	func(f *figures) transitions.Fact {
		return transitions.ThreadOpened{Thread: "th90", Version: "0.171.0", Policy: f.policy, Transcript: oneOf(f.draw, "", transitions.TranscriptGiven, transitions.TranscriptMissing)}
	},
	func(f *figures) transitions.Fact { return transitions.ThreadRefused{Said: "no"} },
	func(f *figures) transitions.Fact {
		return transitions.ThreadResumed{Thread: "th90", Connection: f.link.Connection, Version: "0.171.0", Created: "0.136.0", Policy: f.policy}
	},
	func(f *figures) transitions.Fact { return transitions.ThreadLost{Said: "no"} },
	func(f *figures) transitions.Fact {
		return transitions.ThreadStatusChanged{
			Status:  oneOf(f.draw, transitions.StatusActive, transitions.StatusActive, transitions.StatusIdle, transitions.StatusSystemError, transitions.StatusNotLoaded),
			Waiting: f.flag(),
		}
	},
	func(f *figures) transitions.Fact { return transitions.GenerationChanged{Generation: f.link.Generation} },
	func(f *figures) transitions.Fact {
		return transitions.ThreadsListed{Message: "l" + f.fresh, At: f.now, Threads: oneOf(f.draw, nil, []transitions.DeskThread{{Thread: f.thread}, {Thread: "x1", Title: "x1", Taken: f.flag()}})}
	},
	func(f *figures) transitions.Fact {
		return transitions.ThreadsUnlisted{Message: "l" + f.fresh, Why: oneOf(f.draw, transitions.ServerRefused, transitions.ServerUnreached), Said: "no"}
	},
	func(f *figures) transitions.Fact {
		return transitions.ThreadFound{Message: f.resume, Thread: "x1"}
	},
	func(f *figures) transitions.Fact {
		return transitions.ThreadUnavailable{Message: f.resume, Why: oneOf(f.draw, transitions.TakenElsewhere, transitions.StillEnding, transitions.NotStored, transitions.LooserThere, transitions.ServerRefused, transitions.ServerUnreached), Said: "no"}
	},
	// What becomes of calls.
	func(f *figures) transitions.Fact {
		return transitions.TurnStartAccepted{Message: f.message, Turn: oneOf(f.draw, f.turn, f.turn, f.turn, "")}
	},
	func(f *figures) transitions.Fact {
		return transitions.TurnStartRefused{Message: f.message, Refusal: f.refusal, Said: "no"}
	},
	func(f *figures) transitions.Fact {
		return transitions.TurnStartUnknown{Message: f.message, Link: f.link}
	},
	func(f *figures) transitions.Fact { return transitions.TurnStartWithdrawn{Message: f.message} },
	func(f *figures) transitions.Fact {
		return transitions.SteerAccepted{Message: f.message, Turn: f.turn}
	},
	func(f *figures) transitions.Fact {
		return transitions.SteerRefused{Message: f.message, Turn: f.turn, Refusal: f.refusal, Said: "no"}
	},
	func(f *figures) transitions.Fact { return transitions.SteerUnknown{Message: f.message, Turn: f.turn} },
	func(f *figures) transitions.Fact {
		return transitions.SteerWithdrawn{Message: f.message, Turn: f.turn}
	},
	func(f *figures) transitions.Fact { return transitions.InterruptAccepted{Turn: f.turn} },
	func(f *figures) transitions.Fact { return transitions.InterruptRefused{Turn: f.turn, Said: "no"} },
	func(f *figures) transitions.Fact { return transitions.InterruptUnknown{Turn: f.turn} },
	// What turns do.
	func(f *figures) transitions.Fact {
		return transitions.TurnRunning{Turn: f.turn, Messages: f.listed}
	},
	func(f *figures) transitions.Fact {
		e := ends[f.draw(len(ends))]
		end := transitions.TurnEnded{Turn: f.turn, Status: e.status, Messages: f.listed}
		if e.reply {
			end.Reply = replyOf(f.turn)
		}
		if e.status == transitions.EndFailed {
			end.Said = oneOf(f.draw, "", reason)
		}
		return end
	},
	func(f *figures) transitions.Fact {
		return transitions.PullAnswered{Idle: true, Link: f.link, At: f.now, Settle: settle}
	},
	func(f *figures) transitions.Fact {
		return transitions.PullAnswered{Idle: f.flag(), Turns: []string{f.turn}, Link: f.link, At: f.now, Settle: settle}
	},
	func(f *figures) transitions.Fact {
		return transitions.PullImpossible{Said: "rollout is empty", After: settle}
	},
	func(f *figures) transitions.Fact {
		return transitions.AgentMessageCompleted{Turn: f.turn, Item: "i", Text: "so far"}
	},
	func(f *figures) transitions.Fact { return transitions.TurnSilent{Turn: f.turn} },
	func(f *figures) transitions.Fact { return transitions.WaitingOverdue{Turn: f.turn} },
	// What turns ask.
	func(f *figures) transitions.Fact {
		return transitions.RequestOpened{Request: f.request, Kind: "approval", Turn: f.turn, Generation: f.link.Generation}
	},
	func(f *figures) transitions.Fact { return transitions.RequestResolved{Request: f.request} },
	func(f *figures) transitions.Fact {
		return transitions.RequestVisible{Request: f.request, Shown: "shown:" + f.request}
	},
	func(f *figures) transitions.Fact {
		return transitions.RequestUnshowable{Request: f.request, Said: "no"}
	},
	func(f *figures) transitions.Fact { return transitions.VisibilityOverdue{Request: f.request} },
	func(f *figures) transitions.Fact {
		return transitions.ReplayOverdue{Request: f.request, Connection: f.link.Connection}
	},
	func(f *figures) transitions.Fact { return transitions.DecisionWritten{Request: f.request} },
	func(f *figures) transitions.Fact { return transitions.DecisionUnknown{Request: f.request} },
	// What the chat says.
	func(f *figures) transitions.Fact {
		return transitions.DeliveryConfirmed{Delivery: f.delivery, Shown: "shown:" + f.delivery}
	},
	func(f *figures) transitions.Fact {
		return transitions.DeliveryPartShown{Delivery: f.delivery, Shown: "part:" + f.delivery, UpTo: 1 + f.draw(9)}
	},
	func(f *figures) transitions.Fact {
		return transitions.DeliveryRefused{Delivery: f.delivery, Code: 230002, Said: "no"}
	},
	func(f *figures) transitions.Fact { return transitions.DeliveryUnknown{Delivery: f.delivery} },
	func(f *figures) transitions.Fact {
		return transitions.ReceiptShown{Message: f.message, Reaction: "Get"}
	},
	func(f *figures) transitions.Fact {
		return transitions.EffectDropped{Effect: "show_receipt", Subject: f.message, Said: "no"}
	},
}
