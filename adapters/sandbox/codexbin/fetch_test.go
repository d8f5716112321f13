package codexbin

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// file is one entry of a test package.
type file struct {
	name    string
	mode    int64
	content string
}

// build is the package as it is published, in small.
var build = []file{
	{"package/package.json", 0o644, "{}"},
	{vendor + "bin/codex", 0o755, "#!/bin/sh\necho codex-cli 1.2.3\n"},
	{vendor + "codex-package.json", 0o644, `{"version":"1.2.3"}`},
	{vendor + "codex-path/rg", 0o755, "rg"},
	{vendor + voice + "bin/codex-voice-host", 0o755, "voice"},
}

func pack(t *testing.T, files []file) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func integrity(packed []byte) string {
	digest := sha512.Sum512(packed)
	return "sha512-" + base64.StdEncoding.EncodeToString(digest[:])
}

// registry serves handler and returns a fetcher that knows version 1.2.3 with
// the given hash.
func registry(t *testing.T, hash string, handler http.HandlerFunc) fetcher {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return fetcher{
		pins:     []Version{{"1.2.3", hash}},
		registry: server.URL + "/",
		client:   server.Client(),
		goos:     "linux", goarch: "amd64",
	}
}

// tree lists the regular files below dir with their permissions.
func tree(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		found[name] = info.Mode().Perm()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFetchUnpacksTheBuildOnceAndLeavesOutVoice(t *testing.T) {
	t.Parallel()
	packed := pack(t, build)
	var paths []string
	f := registry(t, integrity(packed), func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		w.Write(packed)
	})
	dir := t.TempDir()

	first, err := f.fetch(t.Context(), dir, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.fetch(t.Context(), dir, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}

	want := filepath.Join(dir, "codex-1.2.3-linux-x64", "bin", "codex")
	if first != want || second != want {
		t.Errorf("paths %q and %q, want %q", first, second, want)
	}
	if diff := cmp.Diff([]string{"/@openai/codex/-/codex-1.2.3-linux-x64.tgz"}, paths); diff != "" {
		t.Errorf("downloads (-want +got):\n%s", diff)
	}
	wantTree := map[string]fs.FileMode{
		"codex-1.2.3-linux-x64.lock":               0o600,
		"codex-1.2.3-linux-x64/bin/codex":          0o755,
		"codex-1.2.3-linux-x64/codex-package.json": 0o644,
		"codex-1.2.3-linux-x64/codex-path/rg":      0o755,
	}
	if diff := cmp.Diff(wantTree, tree(t, dir)); diff != "" {
		t.Errorf("cache (-want +got):\n%s", diff)
	}
}

func TestFetchReplacesABrokenLeftover(t *testing.T) {
	t.Parallel()
	packed := pack(t, build)
	f := registry(t, integrity(packed), func(w http.ResponseWriter, _ *http.Request) { w.Write(packed) })
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, folder("1.2.3"), "bin", "codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	path, err := f.fetch(t.Context(), dir, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if !executable(path) {
		t.Errorf("%s is not executable", path)
	}
}

func TestFetchRefusesWhatItCannotVouchFor(t *testing.T) {
	t.Parallel()
	good := pack(t, build)
	outside := pack(t, []file{{vendor + "../../../../evil", 0o755, "evil"}})
	empty := pack(t, build[:1])
	serve := func(packed []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.Write(packed) }
	}
	tests := []struct {
		name    string
		hash    string
		handler http.HandlerFunc
		want    string
	}{
		{"wrong hash", integrity(empty), serve(good), "instead of the pinned " + integrity(empty)},
		{"cut off by the registry", integrity(good), serve(good[:len(good)/2]), "instead of the pinned"},
		{"connection lost", integrity(good), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000000")
			w.Write(good)
		}, "download broke off: unexpected EOF"},
		{"not found", integrity(good), http.NotFound, "answered 404 Not Found"},
		{"file outside", integrity(outside), serve(outside), "names a file outside of itself"},
		{"no binary", integrity(empty), serve(empty), "holds no bin/codex"},
		{"not an archive", integrity([]byte("hello, hello")), serve([]byte("hello, hello")), "cannot be unpacked"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := registry(t, test.hash, test.handler)
			dir := t.TempDir()
			path, err := f.fetch(t.Context(), dir, "1.2.3")
			requireError(t, path, err, test.want)
			if got, ok := Cached(dir, "1.2.3"); ok {
				t.Errorf("%s is cached all the same", got)
			}
			for name := range tree(t, dir) {
				if strings.HasPrefix(name, ".") {
					t.Errorf("%s was left behind", name)
				}
			}
		})
	}
}

func TestFetchKnowsItsLimits(t *testing.T) {
	t.Parallel()
	f := fetcher{pins: []Version{{"1.2.3", ""}, {"1.3.0", ""}}, client: http.DefaultClient, goos: "linux", goarch: "amd64"}
	path, err := f.fetch(t.Context(), t.TempDir(), "9.9.9")
	requireError(t, path, err, "codex 9.9.9: not a pinned version (choose one of 1.2.3, 1.3.0)")

	f.goos, f.goarch = "darwin", "arm64"
	path, err = f.fetch(t.Context(), t.TempDir(), "1.2.3")
	requireError(t, path, err, "no pinned build for darwin/arm64")
}

func TestFetchOfSeveralAtOnceDownloadsOnce(t *testing.T) {
	t.Parallel()
	packed := pack(t, build)
	var downloads atomic.Int32
	f := registry(t, integrity(packed), func(w http.ResponseWriter, _ *http.Request) {
		downloads.Add(1)
		w.Write(packed)
	})
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := f.fetch(t.Context(), dir, "1.2.3"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := downloads.Load(); got != 1 {
		t.Errorf("%d downloads, want 1", got)
	}
}

func TestFetchStopsWaitingWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := registry(t, "", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	path, err := f.fetch(ctx, t.TempDir(), "1.2.3")
	requireError(t, path, err, "download failed")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v does not wrap context.Canceled", err)
	}
}

func TestPinnedVersionsAreUsable(t *testing.T) {
	t.Parallel()
	if _, ok := find(Pinned(), Default); !ok {
		t.Errorf("the default %s is not pinned", Default)
	}
	for _, v := range Pinned() {
		digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(v.Integrity, "sha512-"))
		if err != nil || len(digest) != sha512.Size {
			t.Errorf("%s: %q is no sha512", v.Number, v.Integrity)
		}
	}
	got := fetcher{}.url(Default)
	if want := "https://registry.npmjs.org/@openai/codex/-/codex-0.171.0-linux-x64.tgz"; got != want {
		t.Errorf("url %s, want %s", got, want)
	}
}

// requireError holds err to be an *Error that contains want and has a remedy.
func requireError(t *testing.T, path string, err error, want string) {
	t.Helper()
	var problem *Error
	if path != "" || !errors.As(err, &problem) {
		t.Fatalf("got %q, %v; want an *Error", path, err)
	}
	if !strings.Contains(err.Error(), want) || problem.Remedy == "" {
		t.Errorf("error %q, want it to contain %q and a remedy", err, want)
	}
}
