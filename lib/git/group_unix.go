//go:build unix

package git

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A Signaled cause names the signal that ended the command, to be handed on.
type Signaled interface{ Signal() os.Signal }

// ownGroup puts the call in a process group of its own, and has a cancelled
// context end the whole group: first with the signal we got, then, should anyone
// be left, with a kill.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// stopGroup is what a cancelled context does to the call.
func stopGroup(ctx context.Context, cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		pgid := -cmd.Process.Pid
		sig := syscall.SIGTERM
		if s, ok := context.Cause(ctx).(Signaled); ok {
			if n, ok := s.Signal().(syscall.Signal); ok {
				sig = n
			}
		}
		err := syscall.Kill(pgid, sig)
		time.AfterFunc(time.Second, func() { syscall.Kill(pgid, syscall.SIGKILL) })
		return err
	}
}
