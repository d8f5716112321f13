package sched

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTheClockNeverGoesBack sets the wall clock back by an hour: what was to take a
// second took an hour more.
func TestTheClockNeverGoesBack(t *testing.T) {
	t.Parallel()
	type reading struct {
		wall   time.Duration // since the epoch
		passed time.Duration
	}
	for name, c := range map[string]struct {
		readings []reading
		shown    []time.Duration // since the epoch
	}{
		"nobody touches it":  {[]reading{{0, 0}, {time.Second, time.Second}}, []time.Duration{0, time.Second}},
		"set back":           {[]reading{{time.Hour, 0}, {time.Second, time.Second}, {time.Minute, time.Minute}}, []time.Duration{time.Hour, time.Hour + time.Second, time.Hour + time.Minute}},
		"set back and right": {[]reading{{time.Hour, 0}, {time.Second, time.Second}, {time.Hour + time.Minute, time.Minute}}, []time.Duration{time.Hour, time.Hour + time.Second, time.Hour + time.Minute}},
		"set forward":        {[]reading{{0, 0}, {time.Hour, time.Second}, {time.Hour + time.Second, 2 * time.Second}}, []time.Duration{0, time.Hour, time.Hour + time.Second}},
		"the machine slept":  {[]reading{{0, 0}, {8 * time.Hour, time.Second}}, []time.Duration{0, 8 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var now reading
			clock := clock{read: func() (time.Time, time.Duration) { return epoch.Add(now.wall), now.passed }}
			var shown []time.Duration
			for _, now = range c.readings {
				shown = append(shown, clock.now().Sub(epoch))
			}
			if diff := cmp.Diff(c.shown, shown); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTheTimeOfALoopIsThatOfItsFacts holds that a difference of two times is that of
// what is written down, which the machine's sleep is part of: a time of Go's own has a
// hidden reading besides.
func TestTheTimeOfALoopIsThatOfItsFacts(t *testing.T) {
	t.Parallel()
	before := time.Now().Round(0)
	now := NewLoop().Now()
	if now != now.Round(0) {
		t.Errorf("%v has a reading of its own", now)
	}
	if now.Before(before) {
		t.Errorf("%v is before %v", now, before)
	}
}
