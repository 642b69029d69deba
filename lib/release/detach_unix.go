//go:build unix

package release

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// lock takes the directory itself for a lock, which leaves no file behind. free
// is false when another process holds it. Where the file system has no such
// locks the caller goes on without: the most that costs is a second question.
func lock(dir string) (unlock func(), free bool) {
	file, err := os.Open(dir)
	if err != nil {
		return func() {}, true
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		file.Close()
		return nil, false
	}
	return func() { file.Close() }, true
}
