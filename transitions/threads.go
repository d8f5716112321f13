package transitions

import (
	"slices"
	"strconv"
)

// ListedThread is a thread that a number of the list stands for.
type ListedThread struct {
	Thread string `json:"thread"`
	Title  string `json:"title,omitempty"` // as in [DeskThread]
}

// Resume is a /resume that is being carried out. As long as it is, the track is
// closed to sending: [ClosedByResume].
type Resume struct {
	Message string `json:"message"` // the command's
	Created Millis `json:"created"`
	// Behind are the messages that came after it, which go where it leads.
	Behind []string `json:"behind,omitempty"`
}

// keepBehind notes that a message came after the /resume that is being carried out. One
// that a former track hands over did so only if it was written later.
func (d *Data) keepBehind(r MessageReceived) {
	if d.Resume.Message != "" && (r.From == "" || r.Created > d.Resume.Created) {
		d.Resume.Behind = append(slices.Clip(d.Resume.Behind), r.Message)
	}
}

// resumes says that a /resume is being carried out.
func (d *Data) resumes() bool { return slices.Contains(d.Shut, ClosedByResume) }

// lasting are the reasons of a track to be closed that the next one has too.
func lasting(shut []Closing) (all []Closing) {
	for _, c := range shut {
		if c != ClosedByResume {
			all = append(all, c)
		}
	}
	return all
}

// listed is the thread that the number of a /resume stands for; nil: there is none.
func (d *Data) listed(f Fact) *ListedThread {
	r, ok := f.(ResumeRequested)
	if !ok || r.Number < 1 || r.Number > len(d.Listed) {
		return nil
	}
	return &d.Listed[r.Number-1]
}

// titled is what a thread is called in the chat.
func titled(title string) Body {
	if title == "" {
		return Body{Sentence: SaidNoTitle}
	}
	return Body{Text: title}
}

// threadLine is the line of the list for one thread.
func (d *Data) threadLine(number int, th DeskThread, at Millis) Body {
	sentence := SaidThread
	switch {
	case th.Thread == d.Thread:
		sentence = SaidThreadHere
	case th.Taken:
		sentence = SaidThreadTaken
	}
	return Body{Sentence: sentence, Args: []string{strconv.Itoa(number)}, Parts: []Body{titled(th.Title), ago(at - th.Used)}}
}

const (
	minute = Millis(60_000)
	hour   = 60 * minute
	day    = 24 * hour
)

// ago is how long ago something was, as people say it.
func ago(passed Millis) Body {
	count := func(sentence SentenceID, unit Millis) Body {
		return Body{Sentence: sentence, Args: []string{strconv.FormatInt(int64(passed/unit), 10)}}
	}
	switch {
	case passed < minute: // clocks differ a little
		return Body{Sentence: SaidJustNow}
	case passed < hour:
		return count(SaidMinutesAgo, minute)
	case passed < day:
		return count(SaidHoursAgo, hour)
	}
	return count(SaidDaysAgo, day)
}

// unavailable is what is said of a thread, or of the list, that cannot be had.
func unavailable(message string, why Unavailable, said string) Deliver {
	switch why {
	case TakenElsewhere:
		return notice(message, SaidTaken)
	case StillEnding:
		return notice(message, SaidEnding)
	case LooserThere:
		return notice(message, SaidLooserThere)
	case NotStored:
		return notice(message, SaidGone)
	case ServerUnreached:
		return notice(message, SaidNotNow)
	}
	return notice(message, SaidUnwilling, said)
}
