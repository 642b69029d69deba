//go:build unix

package ports

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
)

// guardFlags keep an open from following a link or waiting on a FIFO.
const guardFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

const (
	firstWait = time.Millisecond
	maxWait   = 10 * time.Millisecond
)

// lock makes the directory if need be and takes the lock on it, waiting until ctx ends. The
// lock dies with its process. unlock lets it go for every copy of the descriptor, so a child
// that is just being started does not keep it.
func (s Store) lock(ctx context.Context) (unlock func(), err error) {
	if err := fault.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(s.Dir, ".lock")
	for {
		f, err := openPlain(path, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if err := flock(ctx, f); err != nil {
			f.Close()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		unlock := func() {
			syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
			f.Close()
		}
		if stillAt(f, path) {
			return unlock, nil
		}
		unlock() // another hand removed the file; whoever comes next locks a new one
	}
}

// flock asks again and again rather than wait inside the call, which nothing could end.
func flock(ctx context.Context, f *os.File) error {
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// stillAt reports whether path still leads to f's file.
func stillAt(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(held, there)
}
