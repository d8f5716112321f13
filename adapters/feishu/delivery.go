package feishu

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"deskbridge/transitions"
)

// delivery is one attempt at what is left of a delivery.
type delivery struct {
	transitions.Deliver
	attempt transitions.Attempt
	// text is all that the delivery says, and from where what is left begins.
	text string
	from int
}

func (s *Sender) delivery(e transitions.Deliver, a transitions.Attempt) delivery {
	return delivery{Deliver: e, attempt: a, text: e.Body.Say(s.opts.Language), from: max(e.From, a.Done)}
}

// part is the next part within a limit, by its place among partLimits; it is empty
// if nothing is left, as when the text, a sentence, is another language's since.
func (d delivery) part(limit int) part {
	if d.from > 0 && d.from >= len(d.text) {
		return part{upTo: len(d.text)}
	}
	return partAt(d.text, d.from, partLimits[limit])
}

// shorter finds the next limit within which the next part is smaller.
func (d delivery) shorter(limit int) (smaller int, ok bool) {
	for i := limit + 1; i < len(partLimits); i++ {
		if d.part(i).upTo < d.part(limit).upTo {
			return i, true
		}
	}
	return 0, false
}

// reply is the request that says a part. Its uuid never says anything else, since
// the platform would take that for a repetition: the delivery's own belongs to the
// first part within the first limit.
func (d delivery) reply(p part, limit int) Reply {
	uuid := d.UUID
	if d.from > 0 || limit > 0 {
		uuid = PartUUID(d.UUID, d.from, p.upTo)
	}
	return Reply{MessageID: d.ReplyTo, MsgType: msgText, Content: textContent(p.text), UUID: uuid}
}

// PartUUID derives the uuid of a part, but for the first, from its delivery's and
// from where in the text it begins and ends, in bytes: 32 hexadecimal digits.
func PartUUID(delivery string, from, upTo int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", delivery, from, upTo))
	return hex.EncodeToString(sum[:16])
}

// stands is the report that a part stands in the chat.
func (d delivery) stands(message string, p part) transitions.Report {
	if p.upTo >= len(d.text) {
		return transitions.Settled(transitions.DeliveryConfirmed{Delivery: d.Delivery, Shown: message})
	}
	return transitions.Report{
		Facts: []transitions.Fact{transitions.DeliveryPartShown{Delivery: d.Delivery, Shown: message, UpTo: p.upTo}},
		Done:  p.upTo,
	}
}

// search is for what attempts at the next part may have said.
func (d delivery) search(now time.Time) search {
	s := search{shown: d.text[:d.from], outcome: d.Kind == transitions.Outcome, first: d.attempt.First, now: now}
	for limit := range partLimits {
		p := d.part(limit)
		if limit == 0 || p != s.parts[len(s.parts)-1] {
			s.parts = append(s.parts, p)
		}
	}
	return s
}
