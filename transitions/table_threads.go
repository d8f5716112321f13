package transitions

import (
	"slices"

	"deskbridge/fsm"
)

var (
	resuming = guard{
		Term:  term("resuming", "A /resume is being carried out."),
		Holds: func(d *Data, _ Fact) bool { return d.resumes() },
	}
	numberListed = guard{
		Term:  term("number_listed", "The number stands for a thread of the list that was shown last."),
		Holds: func(d *Data, f Fact) bool { return d.listed(f) != nil },
	}
	numberHere = guard{
		Term: term("number_here", "The number stands for the track's own thread."),
		Holds: func(d *Data, f Fact) bool {
			th := d.listed(f)
			return th != nil && th.Thread == d.Thread
		},
	}
	anyListed = guard{
		Term: term("any_listed", "The desk has threads."),
		Holds: func(_ *Data, f Fact) bool {
			l, ok := f.(ThreadsListed)
			return ok && len(l.Threads) > 0
		},
	}
)

var (
	askThreads = action{
		Term:  term("ask_for_threads", "The desk's threads are asked for."),
		Emits: []string{"list_threads"},
		Do:    func(_ *Data, f Fact, emit func(Effect)) { emit(ListThreads{Message: messageOf(f)}) },
	}
	keepList = action{
		Term: term("keep_list", "What each number of the list stands for is remembered."),
		Do: func(d *Data, f Fact, _ func(Effect)) {
			d.Listed = nil
			for _, th := range f.(ThreadsListed).Threads {
				d.Listed = append(d.Listed, ListedThread{Thread: th.Thread, Title: th.Title})
			}
		},
	}
	showList = action{
		Term:  term("show_list", "The threads are listed in the chat."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			l := f.(ThreadsListed)
			var lines Body
			for i, th := range l.Threads {
				lines.Parts = append(lines.Parts, d.threadLine(i+1, th, l.At))
			}
			list := notice(l.Message, SaidThreads)
			list.Body.Parts = []Body{lines}
			d.deliver([]Effect{list}, "", emit)
		},
	}
	tellUnlisted = action{
		Term:  term("tell_unlisted", "The sender is told why there is no list."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			u := f.(ThreadsUnlisted)
			d.deliver([]Effect{unavailable(u.Message, u.Why, u.Said)}, "", emit)
		},
	}
	askThread = action{
		Term:  term("ask_for_that_thread", "Whether the thread can be had is asked; nothing more is sent until that is known."),
		Emits: []string{"bind_thread"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			r := f.(ResumeRequested)
			d.Resume = Resume{Message: r.Message, Created: r.Created}
			d.Shut = append(d.Shut, ClosedByResume)
			emit(BindThread{Message: r.Message, Thread: d.listed(f).Thread})
		},
	}
	// fenceResume is raiseFence for a /resume: what came behind it is not fenced.
	fenceResume = action{
		Term:  term("raise_fence_of_resume", "What came before the /resume and is in no turn is never sent afterwards."),
		Emits: []string{"record_message", "deliver", "record_delivery", "withdraw"},
		Do: func(d *Data, _ Fact, emit func(Effect)) {
			d.FencedAt = max(d.FencedAt, d.Resume.Created)
			for _, m := range slices.Clone(d.Messages) {
				if !slices.Contains(d.Resume.Behind, m.ID) {
					d.moveMessage(m.ID, Move{Kind: moveFence}, emit)
				}
			}
			emit(Withdraw{})
		},
	}
	goOnThere = action{
		Term:  term("go_on_there", "The conversation goes on in its next track, which has the thread."),
		Emits: []string{"open_track"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			d.supersede(f.(ThreadFound).Thread, emit)
		},
	}
	sayResumed = action{
		Term:  term("say_resumed", "The sender is told in which thread the conversation goes on."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			found := f.(ThreadFound)
			said := notice(found.Message, SaidResumed)
			var listed ListedThread
			if i := slices.IndexFunc(d.Listed, func(th ListedThread) bool { return th.Thread == found.Thread }); i >= 0 {
				listed = d.Listed[i]
			}
			said.Body.Parts = []Body{titled(listed.Title)}
			d.deliver([]Effect{said}, "", emit)
		},
	}
	endResume = action{
		Term: term("end_resume", "The /resume is over, and holds nothing back any more."),
		Do: func(d *Data, _ Fact, _ func(Effect)) {
			d.Resume, d.Shut = Resume{}, lasting(d.Shut)
		},
	}
	tellUnavailable = action{
		Term:  term("tell_unavailable", "The sender is told why the thread cannot be had."),
		Emits: []string{"deliver", "record_delivery"},
		Do: func(d *Data, f Fact, emit func(Effect)) {
			u := f.(ThreadUnavailable)
			d.deliver([]Effect{unavailable(u.Message, u.Why, u.Said)}, "", emit)
		},
	}
)

// supersede opens the next track, on the thread if one is given.
func (d *Data) supersede(thread string, emit func(Effect)) {
	d.Superseded = true
	next := OpenTrack{
		Track: NextTrack(d.Track), Thread: thread, Model: d.Model, Listed: slices.Clone(d.Listed), Rebuild: d.Lost != "",
		Shut: slices.DeleteFunc(lasting(d.Shut), func(c Closing) bool { return c == ClosedByPolicy }),
	}
	// A new thread begins under what Codex is set to. But where an operator has to act
	// first, a /new is no way around that: the new thread is held to the same policy.
	if thread == "" && (next.Rebuild || slices.Contains(d.Shut, ClosedByPolicy)) {
		next.Policy = d.Policy
	}
	emit(next)
}

// threadsRows: /threads lists the desk's threads, and /resume goes on in one of them.
// Whether it can be had, Codex and the other tracks have to say first; until then
// the track is closed to sending.
func threadsRows() []row {
	const list, listed, unlisted, resume, found, unavailable = "threads_requested", "threads_listed", "threads_unlisted",
		"resume_requested", "thread_found", "thread_unavailable"
	rows := []row{
		{In: live, On: list, Do: do(askThreads), Why: "Which threads there are, Codex tells."},
		{In: live, On: listed, If: when(anyListed), Do: do(keepList, showList), Why: "They are shown, and each number means the thread that it stood for."},
		{In: live, On: listed, If: when(fsm.Not(anyListed)), Do: do(keepList, say(SaidNoThreads)), Why: "There is none, which is said."},
		{In: live, On: unlisted, Do: do(tellUnlisted), Why: "There is no list, and whoever asked learns why."},

		{In: live, On: resume, If: when(resuming), Do: do(say(SaidResuming)), Why: "One is being carried out already: what comes of it is seen first."},
		{In: flying, On: resume, If: when(fsm.Not(resuming), fsm.Not(mayCommand)), Do: do(say(SaidNotYours)),
			Why: "Only who wrote to the turn, or is entitled anyway, leaves it behind; whoever asked is told."},
		{In: live, On: found, If: when(fsm.Not(resuming)), Ignore: true, Why: "No /resume waits for it."},
		{In: quiet, On: found, If: when(resuming), To: Superseded, Do: do(fenceResume, sayResumed, endResume, goOnThere, handOverQueue),
			Why: "The conversation goes on in that thread; what came before the /resume and was not sent goes back, what came after it goes along."},
		{In: flying, On: found, If: when(resuming), To: Superseded, Do: do(recordNew, fenceResume, interruptTurns, declineRequests, sayResumed, endResume, goOnThere, handOverQueue),
			Why: "The conversation goes on in that thread; this track ends its turn, declines its requests and closes its books, and what came after the /resume goes along."},
	}
	for _, from := range []struct {
		states []State
		may    []guard
	}{{quiet, nil}, {flying, when(mayCommand)}} {
		g := func(extra ...guard) []guard { return slices.Concat(when(fsm.Not(resuming)), from.may, extra) }
		rows = append(rows,
			row{In: from.states, On: resume, If: g(fsm.Not(numberListed)), Do: do(say(SaidNoNumber)), Why: "Nobody knows what the number stands for, and whoever asked learns how to find out."},
			row{In: from.states, On: resume, If: g(numberListed, numberHere), Do: do(say(SaidAlreadyHere)), Why: "The conversation is in that thread already, and nothing changes."},
			row{In: from.states, On: resume, If: g(numberListed, fsm.Not(numberHere)), Do: do(askThread, withdrawText, holdQueue),
				Why: "Whether the thread can be had is asked first; until that is known nothing is sent, and what is written waits."},
		)
	}
	return append(rows, openingRows(unavailable, do(endResume, tellUnavailable))...)
}

// supersededThreadsRows are the rows of these facts for a superseded track.
func supersededThreadsRows() []row {
	over := in(Superseded)
	late := "The track is superseded; "
	rows := []row{
		{In: over, On: "threads_requested", Do: do(say(SaidSendAgain)), Why: late + "the command was meant for the newest one, which is just beginning: it is to be sent again."},
		{In: over, On: "resume_requested", Do: do(say(SaidSendAgain)), Why: late + "the command was meant for the newest one, which is just beginning: it is to be sent again."},
		{In: over, On: "threads_listed", Do: do(say(SaidSendAgain)), Why: late + "the newest one would not know what the numbers stand for, and whoever asked is told."},
		{In: over, On: "threads_unlisted", Do: do(say(SaidSendAgain)), Why: late + "whoever asked may ask there."},
	}
	for _, on := range []string{"thread_found", "thread_unavailable"} {
		rows = append(rows,
			row{In: over, On: on, If: when(resuming), Do: do(endResume, say(SaidSendAgain)), Why: late + "something else came before the /resume was carried out, and whoever wrote it is told."},
			row{In: over, On: on, If: when(fsm.Not(resuming)), Ignore: true, Why: "No /resume waits for it."},
		)
	}
	return rows
}
