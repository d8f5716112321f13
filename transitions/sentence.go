package transitions

import (
	"slices"
	"strconv"
	"strings"
)

// SentenceID names an entry of the catalogue.
type SentenceID string

// The catalogue's entries.
const (
	SaidStopped       SentenceID = "stopped"
	SaidNothingToStop SentenceID = "nothing_to_stop"
	SaidStopping      SentenceID = "stopping"
	SaidNotSent       SentenceID = "not_sent_after_stop"
	SaidRefused       SentenceID = "refused_by_codex"
	SaidFailed        SentenceID = "turn_failed"
	SaidFailedMute    SentenceID = "turn_failed_without_reason"
	SaidInterrupted   SentenceID = "turn_interrupted"
	SaidNoReply       SentenceID = "turn_without_reply"
	SaidVanished      SentenceID = "turn_vanished"
	SaidUnresolved    SentenceID = "message_unresolved"
	SaidNewThread     SentenceID = "thread_reopened"
	SaidRebuilt       SentenceID = "thread_rebuilt"
	SaidForgotten     SentenceID = "thread_not_rebuilt"
	SaidNewTrack      SentenceID = "new_track"
	SaidHeld          SentenceID = "held_for_request"
	SaidUnshowable    SentenceID = "request_not_showable"
	SaidNotEntitled   SentenceID = "not_entitled"
	SaidDecided       SentenceID = "request_over"
	SaidNotYours      SentenceID = "not_entitled_to_stop"
	SaidSendAgain     SentenceID = "command_too_late"
	SaidModel         SentenceID = "model_chosen"
	SaidStale         SentenceID = "still_wanted"
	SaidNotSender     SentenceID = "not_the_sender"
	SaidNotAsked      SentenceID = "nothing_asked"
	SaidDropped       SentenceID = "dropped"
	SaidWhich         SentenceID = "which_message"
	SaidNotPosted     SentenceID = "outcome_not_posted"
	SaidDismissed     SentenceID = "not_sent_not_admitted"
	SaidFilesLost     SentenceID = "files_lost"
	SaidUnreachable   SentenceID = "desk_unreachable"
	SaidClosed        SentenceID = "held_closed"
	SaidLooser        SentenceID = "held_looser_policy"
	SaidDeaf          SentenceID = "held_for_turn"
	SaidUnknown       SentenceID = "held_for_outcome"
	SaidSilent        SentenceID = "turn_silent"
	SaidWaiting       SentenceID = "request_not_arrived"
	SaidThreads       SentenceID = "threads"
	SaidThread        SentenceID = "thread_line"
	SaidThreadHere    SentenceID = "thread_line_here"
	SaidThreadTaken   SentenceID = "thread_line_taken"
	SaidNoTitle       SentenceID = "thread_without_text"
	SaidJustNow       SentenceID = "just_now"
	SaidMinutesAgo    SentenceID = "minutes_ago"
	SaidHoursAgo      SentenceID = "hours_ago"
	SaidDaysAgo       SentenceID = "days_ago"
	SaidNoThreads     SentenceID = "no_threads"
	SaidNoNumber      SentenceID = "number_not_listed"
	SaidAlreadyHere   SentenceID = "thread_is_here"
	SaidResuming      SentenceID = "resuming"
	SaidResumed       SentenceID = "resumed"
	SaidTaken         SentenceID = "thread_taken"
	SaidEnding        SentenceID = "thread_ending"
	SaidGone          SentenceID = "thread_gone"
	SaidLooserThere   SentenceID = "thread_looser"
	SaidUnwilling     SentenceID = "thread_refused"
	SaidNotNow        SentenceID = "desk_not_now"
)

// Language of what people read.
type Language string

// The languages of the catalogue.
const (
	Chinese Language = "zh"
	English Language = "en"
)

// Sentence is one entry of the catalogue: all that the bridge itself says in a
// chat is one of these.
type Sentence struct {
	ID SentenceID
	// Chinese and English are the text; {1} stands for the first argument.
	Chinese, English string
	// Entitled says which facts allow it to be said.
	Entitled string
}

// Sentences returns the catalogue, in its own order.
func Sentences() []Sentence {
	return []Sentence{
		{SaidStopped, "当前任务已停止。", "The current task has been stopped.",
			"stop_requested recorded for that very turn, and turn_ended with status interrupted"},
		{SaidNothingToStop, "这个对话里现在没有正在进行的任务。", "No task is running in this conversation right now.",
			"stop_requested while no turn is in flight and no message waits"},
		{SaidStopping, "正在停止，请稍等。", "It is being stopped; please wait a moment.",
			"stop_requested while a stop is recorded for the turn in flight"},
		{SaidNotSent, "这条消息没有执行：在它之后收到了 /stop、/new 或 /resume。还需要的话，请再发一次。", "This message was not run, because /stop, /new or /resume came after it. If you still want it, please send it again.",
			"stop_requested, new_requested or a resume_requested that was carried out, after message_received, and the message is in no item of a turn"},
		{SaidRefused, "Codex 没有接受这条消息：{1}", "Codex did not accept this message: {1}",
			"turn_start_refused or steer_refused for that message, or thread_refused while it waits"},
		{SaidFailed, "任务失败了：{1}。可以再发一次消息继续。", "The task failed: {1}. Send another message to go on.",
			"turn_ended with status failed and a reason"},
		{SaidFailedMute, "任务失败了，Codex 没有说明原因。可以再发一次消息继续。", "The task failed, and Codex did not say why. Send another message to go on.",
			"turn_ended with status failed and without a reason"},
		{SaidInterrupted, "任务中断了，没有完成。可以再发一次消息继续。", "The task was interrupted before it finished. Send another message to go on.",
			"turn_ended with status interrupted, and no stop recorded for that turn"},
		{SaidNoReply, "任务结束了，Codex 没有留下回复。", "The task ended, and Codex left no reply.",
			"turn_ended with status completed and without an agent message"},
		{SaidVanished, "这个任务后来没有记录了，不知道做到了哪一步。要再做一次的话，请重新发一次消息。", "There is no record of what became of this task. To run it again, please send the message again.",
			"our message was seen in the turn, and two pull_answered of the idle thread do not list it, or thread_lost"},
		{SaidUnresolved, "不知道 Codex 有没有处理这条消息。还需要的话，请再发一次。", "It is not known whether Codex acted on this message. If you still want it, please send it again.",
			"the message was handed to a turn that began, and two pull_answered of the idle thread do not list it; or to a thread of which thread_lost, or turn_start_refused says that it is gone"},
		{SaidNewThread, "Codex 没法再接着之前的对话了。这条消息会在新的对话里处理。", "Codex can no longer go on with the earlier conversation. This message goes to a new one.",
			"turn_start_refused because the thread is gone, or thread_lost, while the message is in no turn"},
		{SaidRebuilt, "这里之前的对话已经转交给 Codex，它可以接着说；它之前做过哪些操作、看过哪些内容，可能不记得了。", "Codex has been given what was said here before, so that it can go on; it may not remember what it did and looked at in between.",
			"thread_opened in the place of a lost thread, and it says that the transcript was given to it, while the message waits for it"},
		{SaidForgotten, "之前说过的内容 Codex 不记得了，请在消息里说明需要的背景。", "Codex remembers nothing of what was said before; please tell it what it has to know.",
			"thread_opened in the place of a lost thread, and it says that the transcript could not be given to it, while the message waits for it"},
		{SaidNewTrack, "从这里开始是一个新的对话；之前如果还有任务在进行，会让它停下来。", "A new conversation begins here; anything that is still running is asked to stop.",
			"new_requested"},
		{SaidHeld, "Codex 正等着一个请求的答复，这条消息先留着，有了答复再交给它。", "Codex is waiting for an answer to a request; this message is kept until there is one.",
			"message_received while a request is open whose request_visible is recorded"},
		{SaidUnshowable, "Codex 在等一个答复，但这个请求没法在这里显示。可以在运行 Codex 的电脑上答复，或者发 /stop 停下任务。", "Codex is waiting for an answer, but the request cannot be shown here. Answer it on the machine that Codex runs on, or send /stop to end the task.",
			"request_opened, and request_unshowable or visibility_overdue for it"},
		{SaidNotEntitled, "这个请求要由给这个任务发过消息的人或管理员来决定。", "This request is for those who wrote to the task, or for an admin, to decide.",
			"request_answered by somebody who wrote no message that is proven in the turn, and is not otherwise entitled"},
		{SaidDecided, "这个请求已经结束了，这次的答复没有用上。", "This request is over; this answer was not used.",
			"request_answered for a request that is decided or over"},
		{SaidNotYours, "正在进行的任务，只有发起它的人、消息已经进入任务的人或管理员才能停下或换掉。", "Only those who began the running task, or whose messages it has taken in, or an admin can do that.",
			"stop_requested, new_requested, model_requested or resume_requested by somebody who wrote no message to a turn in flight, and is not otherwise entitled"},
		{SaidSendAgain, "这里刚刚换成了新的对话，这条命令没有生效，请再发一次。", "A new conversation has just begun here, so this command had no effect; please send it again.",
			"stop_requested, new_requested, model_requested, threads_requested or resume_requested on a superseded track, or one that the track was left before it was carried out"},
		{SaidModel, "好的，这个对话接下来的任务会用模型 {1}。", "All right: the next tasks of this conversation use the model {1}.",
			"model_requested by somebody who is entitled"},
		{SaidStale, "这条消息等了很久，还没有交给 Codex。现在还要执行吗？要就回复 /run，不要就回复 /drop。", "This message has waited for long and has not been handed to Codex. Is it still to be run? Reply /run, or /drop if not.",
			"message_stale: the call with that message was held back, so it was not sent"},
		{SaidNotSender, "这个问题要由发那条消息的人来回答。", "That question is for the person who wrote the message.",
			"stale_answered by somebody else than the sender, who is not otherwise entitled"},
		{SaidNotAsked, "现在没有等你决定的消息，这次的答复没有用上。", "No message is waiting for that decision; this answer was not used.",
			"stale_answered for a message whose sender is not being asked"},
		{SaidDropped, "好的，那条消息不会交给 Codex。", "All right: that message is not handed to Codex.",
			"stale_answered by its sender, or somebody entitled, that the message is not wanted"},
		{SaidWhich, "有几条消息都在等你决定。请直接回复其中一条，写 /run 或 /drop；也可以把要执行的那条重新发一次。", "Several messages wait for your decision. Please reply to one of them with /run or /drop, or send the one you want once more.",
			"stale_answered without saying which, by somebody who is asked about several messages"},
		{SaidNotPosted, "这条消息有结果了，但没能发到这里。结果已经留着，这里有新消息时会再发一次。", "There is a result for this message, but it could not be posted here. It is kept, and is tried again when somebody writes here.",
			"delivery_refused for the outcome that answers that message"},
		{SaidDismissed, "这条消息没有交给 Codex：你现在没有使用权限，请联系管理员。", "This message was not handed to Codex: you are not admitted at present; please ask an admin.",
			"sender_dismissed after message_received, and the message is in no item of a turn"},
		{SaidFilesLost, "有附件没能取到，交给 Codex 时会附上这个说明；需要的话请重新发附件。", "Some attachments could not be fetched; Codex will get a note about that. Please send them again if they matter.",
			"attachments_failed for that message"},
		{SaidUnreachable, "现在还没能把这条消息交给 Codex。消息已经留着，能交的时候就交给它。", "This message could not be handed to Codex yet; it is kept, and goes to it as soon as possible.",
			"send_overdue: the message is in the ledger, and unsent since limits.unreachable"},
		{SaidClosed, "现在不能把消息交给 Codex，这条消息先留着，要等管理员处理。", "Messages cannot be handed to Codex at present; this one is kept, and waits for an admin.",
			"message_received while track_closed is recorded and track_opened is not, or track_closed while the message waits"},
		{SaidLooser, "Codex 现在的权限比这个对话之前用的更宽，所以先不把消息交给它；这条消息留着，要等管理员确认。", "Codex may now do more than it could before in this conversation, so nothing is handed to it; this message is kept, and waits for an admin.",
			"track_closed for a looser policy is recorded and track_opened is not, while the message waits"},
		{SaidDeaf, "正在进行的任务现在不收新消息，这条先留着，等它结束再交给 Codex。", "The running task takes no messages just now; this one is kept until it ends, and then goes to Codex.",
			"steer_refused for that message because the turn takes no text"},
		{SaidUnknown, "上一条消息有没有送到 Codex 还不清楚，正在核实；这条消息先留着，弄清楚之后就交给它。", "Whether the message before this one reached Codex is not known yet and is being found out; this one is kept, and goes to it after that.",
			"message_received while a start is without outcome after turn_start_unknown, or turn_start_unknown while the message waits"},
		{SaidSilent, "还没有收到任务结束的消息，Codex 也有一阵子没有动静了。想停下它，可以发 /stop。", "There is no word yet that the task has ended, and nothing has been heard from Codex for a while. To end it, send /stop.",
			"turn_silent while no turn_ended is recorded for that turn"},
		{SaidWaiting, "Codex 在等一个答复，但它问的内容还没有送到这里。发 /stop 可以停下这个任务。", "Codex is waiting for an answer, but what it asks has not arrived here. /stop ends the task.",
			"thread_status_changed says that Codex waits, and waiting_overdue: no request_opened since"},
		{SaidThreads, "最近的对话：\n{1}\n要接着某一个，回复 /resume 加它的编号，例如 /resume 2。", "Recent conversations:\n{1}\nTo go on with one, send /resume and its number, such as /resume 2.",
			"threads_listed with threads"},
		{SaidThread, "{1}. {2}（{3}用过）", "{1}. {2} (used {3})",
			"threads_listed with that thread"},
		{SaidThreadHere, "{1}. {2}（{3}用过，就是现在这个）", "{1}. {2} (used {3}; this one here)",
			"threads_listed with the track's own thread"},
		{SaidThreadTaken, "{1}. {2}（{3}用过，别的聊天在用）", "{1}. {2} (used {3}; in use in another chat)",
			"threads_listed with that thread, which another track has"},
		{SaidNoTitle, "没有文字的对话", "a conversation without text",
			"threads_listed with that thread, of which no name and no text is known"},
		{SaidJustNow, "刚刚", "just now",
			"threads_listed: that thread was used less than a minute before"},
		{SaidMinutesAgo, "{1} 分钟前", "{1} min ago",
			"threads_listed: that thread was used so many minutes before"},
		{SaidHoursAgo, "{1} 小时前", "{1} h ago",
			"threads_listed: that thread was used so many hours before"},
		{SaidDaysAgo, "{1} 天前", "{1} d ago",
			"threads_listed: that thread was used so many days before"},
		{SaidNoThreads, "这里还没有可以接着进行的对话。", "There is no conversation here yet that could be gone on with.",
			"threads_listed without threads"},
		{SaidNoNumber, "没有找到这个编号。请先发 /threads 看看有哪些对话，再发 /resume 加编号。", "There is no such number. Please send /threads first to see the conversations, then /resume and a number.",
			"resume_requested with a number for which no threads_listed is recorded"},
		{SaidAlreadyHere, "现在就在这个对话里，什么都没有变。", "This is that conversation already; nothing has changed.",
			"resume_requested with the number of the track's own thread"},
		{SaidResuming, "上一个 /resume 还在进行，请稍等。", "The /resume before this one is still being carried out; please wait a moment.",
			"resume_requested while neither thread_found nor thread_unavailable is recorded for the one before"},
		{SaidResumed, "好的，从这里开始接着这个对话：{1}。之前如果还有任务在进行，会让它停下来。", "All right, from here on this conversation goes on: {1}. Anything that is still running is asked to stop.",
			"thread_found"},
		{SaidTaken, "别的聊天正在用这个对话，所以没有换过来。", "That conversation is in use in another chat, so nothing was changed.",
			"thread_unavailable: the newest track of another conversation has that thread"},
		{SaidEnding, "这个对话还在别处忙着，所以没有换过来。请过一会儿再试。", "That conversation is still busy elsewhere, so nothing was changed. Please try again in a while.",
			"thread_unavailable: a superseded track has a turn on that thread that is not known to be over, or another server process has the thread"},
		{SaidGone, "Codex 那边没有这个对话了，所以没有换过来。", "Codex no longer has that conversation, so nothing was changed.",
			"thread_unavailable: thread/resume answered that the thread is not stored, or archived"},
		{SaidLooserThere, "在这个对话里，Codex 的权限比这里的更宽，所以没有换过来。", "In that conversation Codex may do more than it may here, so nothing was changed.",
			"thread_unavailable: thread/resume reports a looser policy than thread/start does for a new thread"},
		{SaidUnwilling, "Codex 没有同意：{1}", "Codex did not agree: {1}",
			"thread_unavailable or threads_unlisted, with the server's words"},
		{SaidNotNow, "现在联系不上 Codex，这条命令没有生效。请过一会儿再试。", "Codex cannot be reached just now, so this command had no effect. Please try again in a while.",
			"thread_unavailable or threads_unlisted: it could not be asked for in a while"},
	}
}

// lasts says that the sentence tells what has become of a message for good, and not
// what is so just now.
func (id SentenceID) lasts() bool {
	switch id {
	case SaidNotSent, SaidRefused, SaidUnresolved, SaidDismissed:
		return true
	}
	return false
}

// Say renders a body: Codex's own words as they are, a sentence in the language
// asked for.
func (b Body) Say(lang Language) string {
	var parts []string
	for _, p := range b.Parts {
		parts = append(parts, p.Say(lang))
	}
	if b.Sentence == "" {
		return b.Text + strings.Join(parts, "\n")
	}
	for _, s := range Sentences() {
		if s.ID != b.Sentence {
			continue
		}
		text := s.Chinese
		if lang == English {
			text = s.English
		}
		var fill []string
		for i, arg := range slices.Concat(b.Args, parts) {
			fill = append(fill, "{"+strconv.Itoa(i+1)+"}", arg)
		}
		return strings.NewReplacer(fill...).Replace(text)
	}
	return string(b.Sentence)
}
