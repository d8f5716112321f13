package feishu

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mint hands out tokens t1, t2, … and counts.
type mint struct {
	mu      sync.Mutex
	now     time.Time
	life    time.Duration
	err     error
	fetches int
	entered chan struct{} // if set, told when a fetch begins
	release chan struct{} // if set, waited for
}

func (m *mint) tokens() *tokens {
	return &tokens{
		now: func() time.Time {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.now
		},
		fetch: func(ctx context.Context) (tenantToken, error) {
			m.mu.Lock()
			m.fetches++
			n, life, err := m.fetches, m.life, m.err
			m.mu.Unlock()
			if m.entered != nil {
				close(m.entered)
				<-m.release
			}
			return tenantToken{value: "t" + string(rune('0'+n)), life: life}, err
		},
	}
}

func TestTokenIsFetchedOnceAndRenewedBeforeItsEnd(t *testing.T) {
	t.Parallel()
	m := &mint{now: time.UnixMilli(1_700_000_000_000), life: 2 * time.Hour}
	tokens := m.tokens()
	var got []string
	for _, after := range []time.Duration{0, time.Hour, 57*time.Minute - 1, 1, time.Minute} {
		m.now = m.now.Add(after)
		value, err := tokens.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, value)
	}
	if diff := cmp.Diff([]string{"t1", "t1", "t1", "t2", "t2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestShortLivedTokenIsKeptForHalfItsLife(t *testing.T) {
	t.Parallel()
	m := &mint{now: time.UnixMilli(1_700_000_000_000), life: 2 * time.Minute}
	tokens := m.tokens()
	var got []string
	for range 4 {
		value, err := tokens.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, value)
		m.now = m.now.Add(31 * time.Second)
	}
	if diff := cmp.Diff([]string{"t1", "t1", "t2", "t2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestForgottenTokenIsFetchedAgainUnlessItWasAlready(t *testing.T) {
	t.Parallel()
	m := &mint{now: time.UnixMilli(1_700_000_000_000), life: 2 * time.Hour}
	tokens := m.tokens()
	first, _ := tokens.get(t.Context())
	tokens.forget(first)
	second, _ := tokens.get(t.Context())
	tokens.forget(first) // a slower call that used the first one too
	third, _ := tokens.get(t.Context())
	if diff := cmp.Diff([]string{"t1", "t2", "t2"}, []string{first, second, third}); diff != "" {
		t.Error(diff)
	}
}

func TestConcurrentCallersShareOneFetch(t *testing.T) {
	t.Parallel()
	m := &mint{now: time.UnixMilli(1_700_000_000_000), life: 2 * time.Hour, entered: make(chan struct{}), release: make(chan struct{})}
	tokens := m.tokens()
	const callers = 20
	got := make(chan string, callers)
	var wg sync.WaitGroup
	ask := func() {
		value, err := tokens.get(t.Context())
		if err != nil {
			t.Error(err)
		}
		got <- value
	}
	wg.Go(ask)
	<-m.entered
	for range callers - 1 {
		wg.Go(ask)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tokens.get(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has gone got %v", err)
	}
	close(m.release)
	wg.Wait()
	close(got)
	for value := range got {
		if value != "t1" {
			t.Errorf("got %s", value)
		}
	}
	if m.fetches != 1 {
		t.Errorf("%d fetches", m.fetches)
	}
}

func TestFailedFetchIsTriedAgainByTheNextCaller(t *testing.T) {
	t.Parallel()
	m := &mint{now: time.UnixMilli(1_700_000_000_000), life: 2 * time.Hour, err: errors.New("down")}
	tokens := m.tokens()
	if _, err := tokens.get(t.Context()); err == nil {
		t.Error("the failure was not told")
	}
	m.err = nil
	if value, err := tokens.get(t.Context()); value != "t2" || err != nil {
		t.Errorf("got %q %v", value, err)
	}
}
