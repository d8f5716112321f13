package codexbin

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	// vendor is the folder of the package that holds the build.
	vendor = "package/vendor/x86_64-unknown-linux-musl/"
	// voice is the part of the build that serves spoken input only: 50 MB that
	// no app-server needs.
	voice = "codex-resources/voice/"
)

// unpack writes the build inside a packed npm package below dir. The caller
// reads the rest of packed: an archive ends before its stream does.
func unpack(packed io.Reader, dir string) error {
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, wanted := strings.CutPrefix(header.Name, vendor)
		if !wanted || header.Typeflag != tar.TypeReg || strings.HasPrefix(name, voice) {
			continue
		}
		if !filepath.IsLocal(name) {
			return fmt.Errorf("the package names a file outside of itself: %q", header.Name)
		}
		if err := write(archive, filepath.Join(dir, name), header.FileInfo().Mode()); err != nil {
			return err
		}
	}
}

// write creates one file, executable for all if it is for its owner.
func write(content io.Reader, path string, mode os.FileMode) error {
	perm := os.FileMode(0o644)
	if mode&0o100 != 0 {
		perm = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
