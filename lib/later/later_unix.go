//go:build unix

package later

import (
	"os/exec"
	"syscall"
)

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// quieten lets everybody else go first.
func quieten() { syscall.Setpriority(syscall.PRIO_PROCESS, 0, 10) }
