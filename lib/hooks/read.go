package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/fault"
)

// maxHookSize bounds how much of a hook is read, in bytes.
const maxHookSize = 16 << 20

// A Script is the bytes of a hook as they were at one moment.
type Script struct {
	Path string
	Body []byte
	Sum  string // SHA-256 of Body, lower-case hex
}

// Read takes a hook's bytes, through a link where the hook is one. Handed to Run as a Call's
// Body, exactly these bytes run, whatever the file holds by then.
func Read(path string) (Script, error) {
	body, err := readFile(path, maxHookSize)
	if err != nil {
		return Script{}, fmt.Errorf("hook %s: %w", path, err)
	}
	sum := sha256.Sum256(body)
	return Script{Path: path, Body: body, Sum: hex.EncodeToString(sum[:])}, nil
}

// readFile reads a regular file of at most limit bytes. It hangs on nothing that stands there.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	body, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return body, err
}

// program returns the file to execute: the hook, or a private copy of the call's Body.
func (c Call) program() (file string, cleanup func(), err error) {
	if c.Body == nil {
		return c.Path, func() {}, nil
	}
	dir, err := fault.MkdirTemp(c.Scratch, ".hook-*") // 0700
	if err != nil {
		return "", nil, err
	}
	cleanup = func() { fault.RemoveAll(dir) }
	file = filepath.Join(dir, filepath.Base(c.Path))
	if err := fault.WriteFile(file, c.Body, 0o700); err != nil {
		cleanup()
		return "", nil, err
	}
	return file, cleanup, nil
}
