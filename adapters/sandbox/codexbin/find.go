package codexbin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Cached returns the binary of a version that an earlier [Fetch] into cacheDir
// left there, and whether there is one.
func Cached(cacheDir, version string) (path string, ok bool) {
	path = filepath.Join(cacheDir, folder(version), "bin", "codex")
	if !executable(path) {
		return "", false
	}
	return path, true
}

// Find returns a Codex binary that is on this machine already, without looking
// at its version: the explicit path if one is given (and no other then), else
// `codex` on PATH, else the cached binary of the given version.
func Find(explicit, cacheDir, version string) (path string, err error) {
	if explicit != "" {
		if !executable(explicit) {
			return "", &Error{
				Problem: fmt.Sprintf("%s is not an executable file", explicit),
				Remedy:  "name the codex binary itself, or leave the setting empty",
			}
		}
		return explicit, nil
	}
	if onPath, err := exec.LookPath("codex"); err == nil {
		return onPath, nil
	}
	if cached, ok := Cached(cacheDir, version); ok {
		return cached, nil
	}
	return "", &Error{
		Version: version,
		Problem: "neither on PATH nor in " + cacheDir,
		Remedy:  "install it with `npm install -g @openai/codex`, or run `go run ./cmd/fetchcodex`",
	}
}

// folder is the name of a version's folder in the cache.
func folder(version string) string { return "codex-" + version + "-" + platform }

// executable reports whether path is a regular file that may be executed.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
