package matrix_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"deskbridge/matrix"
)

// browser finds Chromium.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium on this machine; install it (apt-get install chromium)")
	return ""
}

// openBrowser starts a headless Chromium with a profile of its own.
func openBrowser(t *testing.T) context.Context {
	t.Helper()
	path := browser(t)
	profile, err := os.MkdirTemp("", "chromium-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(profile); err != nil {
			t.Error(err)
		}
	})
	limited, cancel := context.WithTimeout(t.Context(), demoLimit)
	t.Cleanup(cancel)
	allocator, cancel := chromedp.NewExecAllocator(limited,
		chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Env("HOME="+profile, "TMPDIR="+profile),
	)
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	return tab
}

func TestTheDemosPageShowsAnAnswer(t *testing.T) {
	codex, err := matrix.Codex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cache, err := matrix.StateFolder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(cache); err != nil {
			t.Error(err)
		}
	})
	d := startDemo(t, cache, filepath.Dir(codex)+":"+os.Getenv("PATH"))
	tab := openBrowser(t)
	if err := chromedp.Do(tab,
		chromedp.Navigate(d.url),
		chromedp.WaitVisible(`#status[data-state="connected"]`),
		chromedp.SendKeys("#input", "hello"+kb.Enter),
		chromedp.WaitVisible("#messages .message.bot .text"),
	); err != nil {
		t.Fatal(err)
	}
	messages, err := chromedp.Run(tab, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll("#messages .message .text")].map((e) => e.textContent)`))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the messages on the page", []string{
		"hello",
		"Received: “hello”.\n\nI am the scripted model of this demonstration, behind a real Codex: your message came " +
			"through it, and this answer goes back the same way. This is message 1 of the thread.",
	}, messages)
	if err := chromedp.Cancel(tab); err != nil {
		t.Error(err)
	}
	d.stop()
}
