//go:build unix

package settle

import "syscall"

// alive tells whether a process has this id.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}
