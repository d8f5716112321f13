package codexbin

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const (
	// platform names the one supported build in the package's version.
	platform = "linux-x64"
	// defaultRegistry is used where npm_config_registry is not set.
	defaultRegistry = "https://registry.npmjs.org"
	// lockRetry is the time between two attempts to get the cache's lock.
	lockRetry = 100 * time.Millisecond
)

// Fetch returns the path of the codex binary of a pinned version. If cacheDir
// does not hold it yet, it is downloaded from the npm registry (or the one that
// the environment variable npm_config_registry names), verified and unpacked
// there; see the package comment for the layout. Several processes may call it
// for the same cacheDir at once: one downloads, the others wait.
//
// Every error is an [*Error].
func Fetch(ctx context.Context, cacheDir, version string) (path string, err error) {
	f := fetcher{
		pins:     Pinned(),
		registry: os.Getenv("npm_config_registry"),
		client:   http.DefaultClient,
		goos:     runtime.GOOS,
		goarch:   runtime.GOARCH,
	}
	return f.fetch(ctx, cacheDir, version)
}

// fetcher is Fetch with its surroundings as values.
type fetcher struct {
	pins         []Version
	registry     string // base URL; empty for the default
	client       *http.Client
	goos, goarch string
}

func (f fetcher) fetch(ctx context.Context, cacheDir, number string) (string, error) {
	version, ok := find(f.pins, number)
	if !ok {
		return "", &Error{Version: number, Problem: "not a pinned version", Remedy: "choose one of " + numbers(f.pins)}
	}
	if f.goos != "linux" || f.goarch != "amd64" {
		return "", &Error{
			Version: number,
			Problem: fmt.Sprintf("no pinned build for %s/%s", f.goos, f.goarch),
			Remedy:  "install Codex with `npm install -g @openai/codex` and name its path",
		}
	}
	dir, err := filepath.Abs(cacheDir)
	if err != nil {
		return "", cacheError(number, cacheDir, err)
	}
	if path, ok := Cached(dir, number); ok {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", cacheError(number, dir, err)
	}
	lock := flock.New(filepath.Join(dir, folder(number)+".lock"))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return "", &Error{
			Version: number, Err: err,
			Problem: "waiting for another process that downloads it",
			Remedy:  "try again once that process is done",
		}
	}
	path, err := f.fetchLocked(ctx, dir, version)
	if closeErr := lock.Close(); err == nil && closeErr != nil {
		return "", cacheError(number, dir, closeErr)
	}
	return path, err
}

// fetchLocked downloads the version unless another process did meanwhile.
func (f fetcher) fetchLocked(ctx context.Context, dir string, version Version) (path string, err error) {
	if path, ok := Cached(dir, version.Number); ok {
		return path, nil
	}
	temp, err := os.MkdirTemp(dir, "."+folder(version.Number)+"-*")
	if err != nil {
		return "", cacheError(version.Number, dir, err)
	}
	defer func() {
		// After the rename there is nothing left under this name.
		if removeErr := os.RemoveAll(temp); err == nil && removeErr != nil {
			err = cacheError(version.Number, dir, removeErr)
		}
	}()
	if err := os.Chmod(temp, 0o755); err != nil {
		return "", cacheError(version.Number, dir, err)
	}
	if err := f.download(ctx, version, temp); err != nil {
		return "", err
	}
	target := filepath.Join(dir, folder(version.Number))
	// A folder without an executable binary is a leftover that was tampered with.
	if err := os.RemoveAll(target); err != nil {
		return "", cacheError(version.Number, dir, err)
	}
	if err := os.Rename(temp, target); err != nil {
		return "", cacheError(version.Number, dir, err)
	}
	path, ok := Cached(dir, version.Number)
	if !ok {
		return "", &Error{
			Version: version.Number,
			Problem: "the package holds no bin/codex for " + platform,
			Remedy:  "choose one of " + numbers(f.pins),
		}
	}
	return path, nil
}

// download unpacks the version's package into dir while it arrives, and holds
// all of it to the pinned hash.
func (f fetcher) download(ctx context.Context, version Version, dir string) error {
	url := f.url(version.Number)
	fail := func(problem string, err error) error {
		return &Error{
			Version: version.Number, Problem: problem, Err: err,
			Remedy: "check the network and the npm_config_registry variable, then try again",
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fail("the registry's address is unusable", err)
	}
	response, err := f.client.Do(request)
	if err != nil {
		return fail("download failed", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fail(fmt.Sprintf("%s answered %s", url, response.Status), nil)
	}
	digest := sha512.New()
	body := io.TeeReader(response.Body, digest)
	unpackErr := unpack(body, dir)
	// The rest of the body belongs to the hash, and a transport error explains
	// more than the unpacker's complaint about what it cut off.
	if _, err := io.Copy(io.Discard, body); err != nil {
		return fail("download broke off", err)
	}
	got := "sha512-" + base64.StdEncoding.EncodeToString(digest.Sum(nil))
	if got != version.Integrity {
		return &Error{
			Version: version.Number,
			Problem: fmt.Sprintf("%s has the hash %s instead of the pinned %s", url, got, version.Integrity),
			Remedy:  "do not use this registry, or remove what rewrites its packages",
		}
	}
	if unpackErr != nil {
		return fail("the package cannot be unpacked", unpackErr)
	}
	return nil
}

// url is the address of a version's package in the registry.
func (f fetcher) url(number string) string {
	registry := f.registry
	if registry == "" {
		registry = defaultRegistry
	}
	return fmt.Sprintf("%s/@openai/codex/-/codex-%s-%s.tgz", strings.TrimRight(registry, "/"), number, platform)
}

func cacheError(version, dir string, err error) error {
	return &Error{
		Version: version, Err: err,
		Problem: "the cache folder " + dir + " cannot be written",
		Remedy:  "choose another folder or make room",
	}
}
