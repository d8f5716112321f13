package main

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets the tests be at home in UTC, whose times docs/operating.md shows.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	goleak.VerifyTestMain(m)
}
