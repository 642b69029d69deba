//go:build unix

package settle

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the program in a process group of its own and has a cancelled context
// kill all of it: gh starts git and helpers that would go on.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
