// Package hooks finds, runs, reads and writes a project's hooks.
//
// A hook is one file: setup and teardown are programs, ports and keep are read and never run. A
// project commits them in .worktree-hooks; a clone may have its own in worktree-hooks in its git
// common directory, and each of those takes the place of the committed one of the same name.
package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// A Kind is which hook it is, and its file's name.
type Kind string

// The four hooks.
const (
	Setup    Kind = "setup"    // runs in a checkout to make it ready
	Teardown Kind = "teardown" // runs in the primary before a worktree goes
	Ports    Kind = "ports"    // holds how many ports each worktree needs
	Keep     Kind = "keep"     // lists patterns of ignored files to archive
)

// A Place is where hooks are looked for.
type Place struct {
	Checkout string // absolute root of the checkout whose committed hooks count
	Common   string // absolute git common directory
}

// Committed returns the folder of the hooks that the project commits.
func (p Place) Committed() string { return filepath.Join(p.Checkout, ".worktree-hooks") }

// Local returns the folder of the clone's own hooks.
func (p Place) Local() string { return filepath.Join(p.Common, "worktree-hooks") }

// Find returns the path of the hook that counts, "" when there is none. Whatever stands at the
// path is a hook, a dangling link and a directory too, so that none is skipped in silence: where
// a setup or teardown hook cannot run as it stands, Find returns its path with a refusal.
func (p Place) Find(k Kind) (path string, err error) {
	for _, folder := range []string{p.Local(), p.Committed()} {
		path := filepath.Join(folder, string(k))
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if k == Setup || k == Teardown {
			return path, runnable(path, k)
		}
		return path, nil
	}
	return "", nil
}

// runnable refuses a hook that is no program for this account. That it starts is for Run to see.
func runnable(path string, k Kind) error {
	info, err := os.Stat(path)
	switch {
	case err != nil && hidden(path):
		return unrunnable(path, reasonOf(err), showFolder(path))
	case err != nil:
		return unrunnable(path, "it is a link that leads to no file: "+reasonOf(err),
			"remove it with rm "+refuse.Shell(path)+", or put the file it leads to in place")
	case info.IsDir():
		return notExecutable(path, "it is a directory", refuse.Aside(path))
	case !info.Mode().IsRegular():
		return notExecutable(path, "it is not a regular file", refuse.Aside(path))
	case !executable(info):
		return notExecutable(path, "it has no execute permission",
			"make it executable with chmod +x "+refuse.Shell(path))
	}
	return nil
}

func notExecutable(path, reason, act string) *refuse.Refusal {
	return &refuse.Refusal{
		Code:    refuse.HookNotExecutable,
		Message: "hook " + path + " cannot be executed: " + reason,
		Meta:    refuse.Meta{{Key: "hook", Value: path}, {Key: "reason", Value: reason}},
		Resolve: act,
	}
}

func unrunnable(path, reason, act string) *refuse.Refusal {
	return &refuse.Refusal{
		Code:    refuse.HookUnrunnable,
		Message: "hook " + path + " cannot be started: " + reason,
		Meta:    refuse.Meta{{Key: "hook", Value: path}, {Key: "reason", Value: reason}},
		Resolve: act,
	}
}

// hidden tells whether the folder keeps what is at path from being looked at.
func hidden(path string) bool {
	_, err := os.Lstat(path)
	return err != nil
}

func showFolder(path string) string {
	return "make it readable with chmod u+rx " + refuse.Shell(filepath.Dir(path))
}

// reasonOf returns what the system said, without the path that the message names anyway.
func reasonOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
