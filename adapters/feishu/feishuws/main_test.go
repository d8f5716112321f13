package feishuws

import (
	"testing"

	"go.uber.org/goleak"
)

// The SDK leaves one goroutine per client that sweeps its cache and never ends.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/larksuite/oapi-sdk-go/v3/cache.(*cron).start"))
}
