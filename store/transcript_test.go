package store

import (
	"strings"
	"testing"

	t "deskbridge/transitions"
)

// TestATranscriptIsWhatTheChatHasSeen writes down what a transcript is made of, and
// what it must not hold.
func TestATranscriptIsWhatTheChatHasSeen(tt *testing.T) {
	tt.Parallel()
	l := open(tt, tt.TempDir())
	message := func(id, text, turn string, state t.MessageState) t.Effect {
		return t.RecordMessage{Message: t.Message{ID: id, Sender: "ou_a", Text: text, Turn: turn, State: state}}
	}
	turn := func(id string) t.Effect { return t.RecordTurn{Turn: t.Turn{ID: id, State: t.TurnCompleted}} }
	outcome := func(turn string, state t.DeliveryState, body t.Body) t.Effect {
		return t.RecordDelivery{Delivery: t.Delivery{ID: "outcome:" + turn, Kind: t.Outcome, State: state, Turn: turn, Body: body}}
	}
	rows := func(track string, records ...t.Effect) {
		commit(tt, l, func(x *Tx) error {
			for _, r := range records {
				if err := x.record(track, 1, r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	rows("oc/1", turn("t1"), message("m1", "of another conversation's past", "t1", t.MessageAnswered))
	rows("oc/2", t.OpenTrack{Track: "oc/2"}, // by /new
		turn("t2"), turn("t3"), turn("t4"),
		message("m2", "first", "t2", t.MessageAnswered), message("m3", "and this", "t2", t.MessageProven),
		outcome("t2", t.DeliveryShown, t.Body{Text: "done"}),
		outcome("t3", t.DeliveryShown, t.Body{Sentence: t.SaidStopped}), message("m4", "second", "t3", t.MessageAnswered),
		message("m5", "nobody knows", "t4", t.MessageUnresolved), outcome("t4", t.DeliveryInDoubt, t.Body{Text: "perhaps seen"}),
		t.RecordDelivery{Delivery: t.Delivery{ID: "notice:m4", Kind: t.Notice, State: t.DeliveryShown, Turn: "t3", Body: t.Body{Text: "a notice"}}},
	)
	want(tt, "of a track that goes on from one", must[[]t.Utterance](tt)(l.Transcript(tt.Context(), "oc/3", t.English)), []t.Utterance{
		{Text: "first"}, {Text: "and this"}, {Codex: true, Text: "done"},
		{Text: "second"}, {Codex: true, Text: "The current task has been stopped."},
	})
	rows("oc/2", t.OpenTrack{Track: "oc/3", Rebuild: true})
	rows("oc/3", turn("t5"), message("m6", "third", "t5", t.MessageAnswered))
	all := must[[]t.Utterance](tt)(l.Transcript(tt.Context(), "oc/4", t.Chinese))
	want(tt, "of one that went on from a lost thread itself", all[3:], []t.Utterance{
		{Text: "second"}, {Codex: true, Text: "当前任务已停止。"}, {Text: "third"},
	})
	want(tt, "of a first track", must[[]t.Utterance](tt)(l.Transcript(tt.Context(), "oc/1", t.Chinese)), []t.Utterance(nil))

	// Of what is too much the newest part is told, and of a text its beginning.
	long := strings.Repeat("长", maxTranscript)
	rows("oc/3", turn("t6"), message("m7", "short", "t6", t.MessageAnswered), outcome("t6", t.DeliveryShown, t.Body{Text: long}),
		turn("t7"), message("m8", "last", "t7", t.MessageAnswered))
	all = must[[]t.Utterance](tt)(l.Transcript(tt.Context(), "oc/4", t.Chinese))
	cut := strings.Repeat("长", (maxTranscript-len("last"))/len("长"))
	want(tt, "of one that is long", all, []t.Utterance{{Codex: true, Text: cut}, {Text: "last"}})
}
