package transitions

import "deskbridge/fsm"

// conversationFacts lists what a conversation steps on, with the protocol
// message or ledger write that produces it.
func conversationFacts() []fsm.Term {
	return []fsm.Term{
		term("message_received", "Ledger: an admitted person wrote ordinary text (Feishu im.message.receive_v1)."),
		term("stop_requested", "Ledger: an admitted person wrote /stop (Feishu im.message.receive_v1)."),
		term("new_requested", "Ledger: an admitted person wrote /new (Feishu im.message.receive_v1)."),
		term("handed_over", "Ledger: the conversation's next track has the message."),
		term("thread_opened", "Protocol: thread/start answered with a thread's id."),
		term("thread_refused", "Protocol: thread/start answered with an error that will be the same again."),
		term("turn_start_accepted", "Protocol: turn/start answered with a turn's id, its own or that of a turn already active."),
		term("turn_start_refused", "Protocol: turn/start answered with an error."),
		term("turn_start_unknown", "Ledger: turn/start may have been sent, and no answer will come."),
		term("turn_start_withdrawn", "Ledger: turn/start was taken out of the outbox unsent."),
		term("steer_accepted", "Protocol: turn/steer answered with success."),
		term("steer_refused", "Protocol: turn/steer answered with an error."),
		term("steer_unknown", "Ledger: turn/steer may have been sent, and no answer will come."),
		term("steer_withdrawn", "Ledger: turn/steer was taken out of the outbox unsent."),
		term("interrupt_accepted", "Protocol: turn/interrupt answered with success."),
		term("interrupt_refused", "Protocol: turn/interrupt answered with an error."),
		term("interrupt_unknown", "Ledger: turn/interrupt may have been sent, and no answer will come."),
		term("turn_running", "Protocol: thread/turns/list shows the turn in progress, or a userMessage item of it was announced."),
		term("turn_ended", "Protocol: thread/turns/list shows the turn completed, interrupted or failed, with all its items."),
		term("pull_answered", "Protocol: the newest turns were read; closes the snapshot."),
		term("delivery_confirmed", "Ledger: Feishu answered a send with a message id."),
		term("delivery_refused", "Ledger: Feishu refused a send for good."),
		term("delivery_unknown", "Ledger: a send may have taken effect, and the time to repeat it safely is over."),
		term("request_opened", "Protocol: the server sent a request that a person has to answer, or sent it again after a resume."),
		term("request_resolved", "Protocol: serverRequest/resolved."),
		term("request_visible", "Ledger: Feishu answered the request's card, or a poorer form, with a message id."),
		term("request_unshowable", "Ledger: Feishu refused every form of the request for good."),
		term("visibility_overdue", "Ledger: the request was not proven visible in time."),
		term("replay_overdue", "Ledger: the server did not send the request again in time after a reconnect."),
		term("request_answered", "Ledger: a person decided on the request, by a click or a command."),
		term("decision_written", "Ledger: the answer to the server's request was written."),
		term("decision_unknown", "Ledger: the answer to the server's request may have been written or not."),
		term("waiting_changed", "Protocol: thread/status/changed says whether the thread waits on a person."),
		term("generation_changed", "Ledger: another server process answers than before."),
		term("receipt_shown", "Ledger: the reaction on a received message stands in the chat."),
		term("receipt_dropped", "Ledger: the reaction was refused, or given up."),
	}
}

// conversationEffects lists what a conversation asks for.
func conversationEffects() []fsm.Term {
	return []fsm.Term{
		term("open_thread", "Call: thread/start."),
		term("start_turn", "Call: turn/start with the message's id as clientUserMessageId."),
		term("steer_turn", "Call: turn/steer with the turn's id and the message's id."),
		term("interrupt_turn", "Call: turn/interrupt with the turn's id."),
		term("pull", "Hint: read the thread's newest turns."),
		term("withdraw", "Outbox: take out what carries text to Codex and is not sent."),
		term("deliver", "Call: reply in the chat, with the delivery's uuid."),
		term("show_receipt", "Call: put the reaction on a received message."),
		term("hand_over", "Call: give the message to the conversation's next track."),
		term("open_track", "Record: the conversation's next track, from now on the newest."),
		term("show_request", "Call: show the request in the chat."),
		term("answer_request", "Call: answer the server's request."),
		term("close_request", "Call: say on the request's card what became of it."),
		term("record_request", "Record: the request's row of the ledger."),
		term("record_message", "Record: the message's row of the ledger."),
		term("record_turn", "Record: the turn's row of the ledger."),
		term("record_delivery", "Record: the delivery's row of the ledger."),
		term("record_thread", "Record: which thread the track is bound to."),
	}
}
