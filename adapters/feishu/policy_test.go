package feishu_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deskbridge/adapters/feishu"
)

func TestPolicySaysWhatIsDoneAboutEveryClass(t *testing.T) {
	t.Parallel()
	var classes []feishu.Class
	for _, row := range feishu.Policy() {
		classes = append(classes, row.Class)
		if row.Why == "" {
			t.Errorf("%s: no reason", row.Class)
		}
		for use, step := range map[string]feishu.Step{"delivery": row.Delivery, "receipt": row.Receipt, "lookup": row.Lookup} {
			if (step.Do == feishu.Settle) != (row.Class == feishu.Done) {
				t.Errorf("%s, %s: only what is done is settled: %+v", row.Class, use, step)
			}
			if (step.Do == feishu.Retry) != (step.Tries > 0) {
				t.Errorf("%s, %s: tries are counted where there are any: %+v", row.Class, use, step)
			}
		}
	}
	if diff := cmp.Diff(feishu.Classes(), classes); diff != "" {
		t.Error(diff)
	}
}

// What is in the table by name, so that a change of it is read twice.
func TestPolicyOfDeliveries(t *testing.T) {
	t.Parallel()
	day := feishu.Step{Do: feishu.Retry, Tries: 1440}
	want := map[feishu.Class]feishu.Step{
		feishu.Done:        {Do: feishu.Settle},
		feishu.Later:       day,
		feishu.Unreachable: day,
		feishu.Token:       day,
		feishu.Credentials: day,
		feishu.TooLong:     {Do: feishu.Shorten},
		feishu.Refused:     {Do: feishu.GiveUp},
		feishu.Ambiguous:   day,
	}
	got := map[feishu.Class]feishu.Step{}
	for _, row := range feishu.Policy() {
		got[row.Class] = row.Delivery
		if row.MayHave != (row.Class == feishu.Ambiguous) {
			t.Errorf("%s: may have taken effect: %v", row.Class, row.MayHave)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBackoffDoublesToAMinuteAndVaries(t *testing.T) {
	t.Parallel()
	longest, shortest := feishu.Backoff(func() float64 { return 0 }), feishu.Backoff(func() float64 { return 0.5 })
	var got []time.Duration
	for attempt := 1; attempt <= 9; attempt++ {
		got = append(got, longest(attempt))
	}
	s := time.Second
	if diff := cmp.Diff([]time.Duration{s / 2, s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}, got); diff != "" {
		t.Error(diff)
	}
	if got := []time.Duration{shortest(1), shortest(1440)}; got[0] != 450*time.Millisecond || got[1] != 54*time.Second {
		t.Errorf("with chance: %v", got)
	}
}

func TestTriesOfADeliveryLastMostOfADay(t *testing.T) {
	t.Parallel()
	for _, row := range feishu.Policy() {
		if row.Delivery.Do != feishu.Retry {
			continue
		}
		wait, sum := feishu.Backoff(func() float64 { return 1 }), time.Duration(0)
		for attempt := 1; attempt < row.Delivery.Tries; attempt++ {
			sum += wait(attempt)
		}
		if sum < 19*time.Hour || sum > 24*time.Hour {
			t.Errorf("%s: %s", row.Class, sum)
		}
	}
}
