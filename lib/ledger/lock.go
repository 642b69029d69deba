package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// A Lock is held by this process until it is let go, or until the process and every
// git that inherited it are gone.
type Lock struct {
	file *os.File
	path string
	turn <-chan struct{} // of the clone's lock; nil for another
}

// File is the lock's descriptor, for git to inherit. A nil Lock has none.
func (l *Lock) File() *os.File {
	if l == nil {
		return nil
	}
	return l.file
}

// Unlock lets the lock go, for every copy of the descriptor.
func (l *Lock) Unlock() {
	unlock(l.file)
	l.file.Close()
	if l.turn != nil {
		<-l.turn
	}
}

// Discard removes the lock's file, and a draft that a killed process left, and lets it
// go: for a name that is no longer registered. One who waits sees that its file has no
// link any more.
func (l *Lock) Discard() {
	os.Remove(strings.TrimSuffix(l.path, ".lock") + ".tmp")
	fault.Remove(l.path)
	l.Unlock()
}

// Repository takes the lock of the clone, held for one short administrative step. Those
// of this process take turns, so that the next one has it at once.
func (l Ledger) Repository(ctx context.Context) (*Lock, error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	lock, err := l.lock(ctx, ".lock", nil)
	if err != nil {
		<-l.turn
		return nil, err
	}
	lock.turn = l.turn
	return lock, nil
}

// Worktree takes the lock of one name. waiting is called once, with the holder's
// process id (0 when unknown), when it has to wait. A holder that is an ancestor of
// this process is refused as in_hook: a hook that calls the tool on its own worktree
// would wait for itself.
func (l Ledger) Worktree(ctx context.Context, name string, waiting func(pid int)) (*Lock, error) {
	return l.lock(ctx, "."+name+".lock", func(pid int) error {
		if isAncestor(pid) {
			return inHook(name, pid)
		}
		waiting(pid)
		return nil
	})
}

// TryWorktree takes the lock of one name without waiting: nil when another live
// process holds it.
func (l Ledger) TryWorktree(name string) (*Lock, error) {
	if err := l.makeDir(); err != nil {
		return nil, err
	}
	path := filepath.Join(l.Dir, "."+name+".lock")
	lock, err := take(path, tryLock)
	if err == nil && lock != nil {
		lock.sign()
	}
	return lock, err
}

func inHook(name string, pid int) error {
	return &refuse.Refusal{
		Code:    refuse.InHook,
		Message: "worktree " + name + " is being worked on by the command whose hook this runs in",
		Meta:    refuse.Meta{{Key: "name", Value: name}, {Key: "pid", Value: pid}},
		Resolve: "leave agent-worktree out of the hook, or run it there for another worktree",
	}
}

// lock takes one lock file, waiting for it; meet is called when it has to wait.
func (l Ledger) lock(ctx context.Context, file string, meet func(pid int) error) (*Lock, error) {
	if err := l.makeDir(); err != nil {
		return nil, err
	}
	path := filepath.Join(l.Dir, file)
	lock, err := take(path, tryLock)
	if err == nil && lock == nil && meet != nil {
		err = meet(holder(path))
	}
	if err == nil && lock == nil {
		lock, err = await(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	lock.sign()
	return lock, nil
}

// await waits inside the system, which hands the lock on at once. When ctx ends first, it
// is let go again as soon as it comes.
func await(ctx context.Context, path string) (*Lock, error) {
	type answer struct {
		lock *Lock
		err  error
	}
	came := make(chan answer, 1)
	go func() {
		lock, err := take(path, waitLock)
		came <- answer{lock, err}
	}()
	select {
	case a := <-came:
		return a.lock, a.err
	case <-ctx.Done():
		go func() {
			if a := <-came; a.lock != nil {
				a.lock.Unlock()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// take opens the lock's file and takes it by one of tryLock and waitLock; nil when another
// process holds it.
func take(path string, by func(*os.File) (bool, error)) (*Lock, error) {
	for {
		f, err := openLock(path)
		if err != nil {
			return nil, err
		}
		free, err := by(f)
		if err != nil || !free {
			f.Close()
			return nil, err
		}
		// The holder before us may have removed the file while we opened it: then
		// what we hold is a lock nobody else will meet.
		if linked(f, path) {
			return &Lock{file: f, path: path}, nil
		}
		unlock(f)
		f.Close()
	}
}

func linked(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

// sign writes who holds the lock, for those who wait; a failure costs only the name.
func (l *Lock) sign() {
	l.file.Truncate(0)
	l.file.WriteAt([]byte(fmt.Sprintf("%d\n", os.Getpid())), 0)
}

// holder is the process id in a lock file, 0 when there is none.
func holder(path string) int {
	f, err := openRegular(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, 32))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid
}

// Busy tells whether a live process holds the lock of that name.
func (l Ledger) Busy(name string) (bool, error) {
	path := filepath.Join(l.Dir, "."+name+".lock")
	f, err := openRegular(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	free, err := tryLock(f)
	if free {
		unlock(f)
	}
	return !free, err
}

// Sweep takes away what killed processes left of names that are not registered: lock
// files and drafts that no live process holds.
func (l Ledger) Sweep() error {
	files, err := os.ReadDir(l.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, f := range files {
		ext := filepath.Ext(f.Name())
		name := strings.TrimPrefix(strings.TrimSuffix(f.Name(), ext), ".")
		if !strings.HasPrefix(f.Name(), ".") || name == "" || ext != ".lock" && ext != ".tmp" || !l.absent(name) {
			continue
		}
		if err := l.sweep(name); err != nil {
			return err
		}
	}
	return nil
}

func (l Ledger) absent(name string) bool {
	e, err := l.Read(name)
	return err == nil && e == nil
}

func (l Ledger) sweep(name string) error {
	lock, err := l.TryWorktree(name)
	if err != nil || lock == nil {
		return err
	}
	if !l.absent(name) {
		lock.Unlock()
		return nil
	}
	lock.Discard()
	return nil
}
