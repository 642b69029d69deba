//go:build unix

package tests

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestSoakLocks holds each lock in turn: a create that needs it gets as far as it may
// without, waits there, and ends well once it is free.
func TestSoakLocks(t *testing.T) {
	for name, lock := range map[string]struct{ file, not string }{
		"repository": {"repo/.git/agent-worktrees/.lock", "repo/.git/worktrees"},
		"worktree":   {"repo/.git/agent-worktrees/.a.lock", "repo/.git/agent-worktrees/a.json"},
		"ports":      {"data/agent-worktree/ports/.lock", "data/agent-worktree/ports/2*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tools(t))
			if name == "ports" {
				w.write("repo/.git/worktree-hooks/ports", "10\n")
			}
			free := w.hold(lock.file)
			done := make(chan answer, 1)
			go func() { done <- w.run(call{args: []string{"create", "a"}}) }()
			select {
			case a := <-done:
				t.Errorf("it did not wait: %s", a)
			case <-time.After(400 * time.Millisecond):
			}
			if found, _ := filepath.Glob(w.at(lock.not)); len(found) > 0 {
				t.Errorf("%v is there without the lock", found)
			}
			free()
			select {
			case a := <-done:
				if a.status != 0 {
					t.Errorf("%s", a)
				}
			case <-time.After(20 * time.Second):
				t.Error("it does not go on")
			}
		})
	}
}

// hold takes a lock as another process would.
func (w *world) hold(path string) (free func()) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.at(path)), 0o700); err != nil {
		w.Fatal(err)
	}
	if dir := w.at("data/agent-worktree"); there(dir) {
		os.Chmod(dir, 0o700)
	}
	f, err := os.OpenFile(w.at(path), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		w.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		w.Fatal(err)
	}
	return func() { f.Close() }
}
