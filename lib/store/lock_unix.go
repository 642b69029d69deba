//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the entry for this process alone: who slims, expires or restores it has
// it. free is false when another process does. The directory itself is the lock, so
// that it goes with the entry.
func (e Entry) TryLock() (unlock func(), free bool, err error) {
	dir, err := os.Open(e.Dir)
	if err != nil {
		return nil, false, err
	}
	for {
		err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		dir.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = nil
		}
		return nil, false, err
	}
	return func() { dir.Close() }, true, nil
}
