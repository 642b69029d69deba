//go:build unix

package guard

import (
	"io/fs"
	"os"
	"syscall"
)

// unchangeable is why names may not be made and removed in the directory, nil when they
// may. The system is asked, since neither a mode nor an owner knows of a read-only file
// system, an access list or root.
func unchangeable(dir string) error {
	const write, search = 2, 1
	return syscall.Access(dir, write|search)
}

// stuck tells whether the parent's sticky bit keeps us from renaming what is in it.
func stuck(parent string, info fs.FileInfo) bool {
	up, err := os.Stat(parent)
	if err != nil || up.Mode()&fs.ModeSticky == 0 || os.Geteuid() == 0 {
		return false
	}
	return !mine(info) && !mine(up)
}

// mine tells whether the caller owns it.
func mine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// Alive tells whether a process with that number lives, whoever's it is.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}
