package transitions

import (
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
	SaidNewThread     SentenceID = "thread_reopened"
	SaidNewTrack      SentenceID = "new_track"
	SaidHeld          SentenceID = "held_for_request"
	SaidUnshowable    SentenceID = "request_not_showable"
	SaidNotEntitled   SentenceID = "not_entitled"
	SaidDecided       SentenceID = "request_over"
	SaidNotYours      SentenceID = "not_entitled_to_stop"
	SaidSendAgain     SentenceID = "command_too_early"
	SaidModel         SentenceID = "model_chosen"
	SaidStale         SentenceID = "still_wanted"
	SaidNotSender     SentenceID = "not_the_sender"
	SaidNotAsked      SentenceID = "nothing_asked"
	SaidDismissed     SentenceID = "not_sent_not_admitted"
	SaidFilesLost     SentenceID = "files_lost"
	SaidUnreachable   SentenceID = "desk_unreachable"
	SaidClosed        SentenceID = "held_closed"
	SaidDeaf          SentenceID = "held_for_turn"
	SaidUnknown       SentenceID = "held_for_outcome"
	SaidSilent        SentenceID = "turn_silent"
	SaidWaiting       SentenceID = "request_not_arrived"
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
		{SaidNothingToStop, "现在没有正在进行的任务。", "No task is running right now.",
			"stop_requested while no turn is in flight and no message waits"},
		{SaidStopping, "已经在停止了，结束后会告诉你。", "It is already being stopped; you will be told when it ends.",
			"stop_requested while a stop is recorded for the turn in flight"},
		{SaidNotSent, "这条消息没有交给 Codex：之后有人发了 /stop 或 /new。还需要的话，请再发一次。", "This message was not handed to Codex, because /stop or /new was sent after it. If you still want it, please send it again.",
			"stop_requested or new_requested after message_received, and the message is in no item of a turn"},
		{SaidRefused, "Codex 没有接受这条消息：{1}", "Codex did not accept this message: {1}",
			"turn_start_refused or steer_refused for that message, or thread_refused while it waits"},
		{SaidFailed, "任务失败了：{1}", "The task failed: {1}",
			"turn_ended with status failed and a reason"},
		{SaidFailedMute, "任务失败了，Codex 没有说明原因。", "The task failed, and Codex did not say why.",
			"turn_ended with status failed and without a reason"},
		{SaidInterrupted, "任务中断了，没有完成。可以再发一次消息继续。", "The task was interrupted before it finished. Send another message to go on.",
			"turn_ended with status interrupted, and no stop recorded for that turn"},
		{SaidNoReply, "任务结束了，Codex 没有留下回复。", "The task ended, and Codex left no reply.",
			"turn_ended with status completed and without an agent message"},
		{SaidVanished, "这个任务开始后就没有记录了，不知道它做到了哪一步。要不要再来一次，请你决定。", "There is no record of this task after it began, so how far it got is not known. Whether to run it again is up to you.",
			"our message was seen in the turn, and two pull_answered of the idle thread do not list it, or thread_lost"},
		{SaidNewThread, "之前的对话在 Codex 那边找不到了，这条消息会在一个新的对话里处理。", "The earlier conversation can no longer be found at Codex; this message goes to a new one.",
			"turn_start_refused because the thread is gone, or thread_lost, while the message is in no turn"},
		{SaidNewTrack, "从这里开始是一个新的对话；之前还在进行的任务会停下来。", "A new conversation begins here; what was still running is being stopped.",
			"new_requested"},
		{SaidHeld, "Codex 正等着上面那个请求的答复，这条消息先留着，答复之后就交给它。", "Codex is waiting for an answer to the request above; this message is kept, and goes to it after that.",
			"message_received while a request is open whose request_visible is recorded"},
		{SaidUnshowable, "Codex 在等一个答复，但这个请求没法在这里显示。发 /stop 可以停下这个任务。", "Codex is waiting for an answer, but the request cannot be shown here. /stop ends the task.",
			"request_opened, and request_unshowable or visibility_overdue for it"},
		{SaidNotEntitled, "这个请求要由给这个任务发过消息的人或管理员来决定。", "This request is for those who wrote to the task, or for an admin, to decide.",
			"request_answered by somebody who wrote no message that is proven in the turn, and is not otherwise entitled"},
		{SaidDecided, "这个请求已经有结果了，这次的答复没有用上。", "This request is already settled; this answer was not used.",
			"request_answered for a request that is decided or over"},
		{SaidNotYours, "正在进行的任务是别人发起的，只有发起的人、插过话的人或管理员才能这样做。", "Somebody else's task is running; only those who wrote to it, or an admin, can do that.",
			"stop_requested, new_requested or model_requested by somebody who wrote no message to a turn in flight, and is not otherwise entitled"},
		{SaidSendAgain, "这里刚刚换成了新的对话，这条命令没有生效，请再发一次。", "A new conversation has just begun here, so this command had no effect; please send it again.",
			"model_requested on a superseded track"},
		{SaidModel, "好的，接下来的任务用模型 {1}。", "All right: the next tasks use the model {1}.",
			"model_requested by somebody who is entitled"},
		{SaidStale, "这条消息等了很久还没有交给 Codex。现在还要执行吗？", "This message has waited for long and has not been handed to Codex. Is it still to be run?",
			"message_stale: the call with that message was held back, so it was not sent"},
		{SaidNotSender, "这个问题要由发那条消息的人来回答。", "That question is for the person who wrote the message.",
			"stale_answered by somebody else than the sender, who is not otherwise entitled"},
		{SaidNotAsked, "这条消息已经有结果了，这次的答复没有用上。", "That message is already settled; this answer was not used.",
			"stale_answered for a message whose sender is not being asked"},
		{SaidDismissed, "这条消息没有交给 Codex：你现在没有使用权限，请联系管理员。", "This message was not handed to Codex: you are not admitted at present; please ask an admin.",
			"sender_dismissed after message_received, and the message is in no item of a turn"},
		{SaidFilesLost, "有附件没能取到，这条消息会连同这个说明一起交给 Codex。", "Some attachments could not be fetched; the message goes to Codex with a note about that.",
			"attachments_failed for that message"},
		{SaidUnreachable, "暂时连不上 Codex，这条消息先留着，一恢复就交给它。", "Codex cannot be reached just now; this message is kept, and goes to it as soon as it can be.",
			"send_overdue: the message is in the ledger, and unsent since limits.unreachable"},
		{SaidClosed, "现在不能把消息交给 Codex，这条消息先留着；管理员处理之后就交给它。", "Messages cannot be handed to Codex at present; this one is kept, and goes to it once an admin has seen to that.",
			"message_received while track_closed is recorded and track_opened is not, or track_closed while the message waits"},
		{SaidDeaf, "Codex 这一步不接受插话，这条消息先留着，结束后就交给它。", "Codex takes no messages during this step; this one is kept, and goes to it after that.",
			"steer_refused for that message because the turn takes no text"},
		{SaidUnknown, "上一条消息有没有送到 Codex 还不清楚，正在核实；这条消息先留着，弄清楚之后就交给它。", "Whether the message before this one reached Codex is not known yet and is being found out; this one is kept, and goes to it after that.",
			"message_received while a start is without outcome after turn_start_unknown, or turn_start_unknown while the message waits"},
		{SaidSilent, "任务还没有结束的消息，但 Codex 已经有一阵子没有动静了。发 /stop 可以停下它。", "There is no word that the task has ended, but nothing has been heard from Codex for a while. /stop ends it.",
			"turn_silent while no turn_ended is recorded for that turn"},
		{SaidWaiting, "Codex 在等一个答复，但它问的内容还没有送到这里。发 /stop 可以停下这个任务。", "Codex is waiting for an answer, but what it asks has not arrived here. /stop ends the task.",
			"thread_status_changed says that Codex waits, and waiting_overdue: no request_opened since"},
	}
}

// Say renders a body: Codex's own words as they are, a sentence in the language
// asked for.
func (b Body) Say(lang Language) string {
	if b.Sentence == "" {
		return b.Text
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
		for i, arg := range b.Args {
			fill = append(fill, "{"+strconv.Itoa(i+1)+"}", arg)
		}
		return strings.NewReplacer(fill...).Replace(text)
	}
	return string(b.Sentence)
}
