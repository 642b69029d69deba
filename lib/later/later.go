// Package later starts this program again for work that its caller need not wait for.
package later

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Name is what a program that was started by Start has for its own name.
const Name = "agent-worktree-later"

// Start starts this very program with these arguments and does not wait for it. It has
// a session of its own, none of our streams and no directory that anybody works in, so
// that neither a terminal nor whoever reads our output has to do with it.
func Start(args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	again := exec.Command(self)
	again.Args = append([]string{Name}, args...)
	again.Dir = string(filepath.Separator)
	detach(again)
	if err := again.Start(); err != nil {
		return err
	}
	return again.Process.Release()
}

// Asked tells whether this program was started by Start, and with what.
func Asked() (args []string, ok bool) {
	if len(os.Args) == 0 || os.Args[0] != Name {
		return nil, false
	}
	quieten()
	return os.Args[1:], true
}
