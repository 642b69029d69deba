//go:build unix

package ledger

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/cniska/agent-worktree/lib/fault"
)

// openLock opens a lock file, made when it is not there; never through a link.
func openLock(path string) (*os.File, error) {
	return regular(fault.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600))
}

// openRegular opens a regular file to read; never through a link, and without
// hanging on a FIFO.
func openRegular(path string) (*os.File, error) {
	return regular(os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0))
}

func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// tryLock takes the whole file when nobody has it.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// waitLock takes it once nobody has it.
func waitLock(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_EX)
	return err == nil, err
}

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case nil:
			return nil
		case syscall.EINTR:
			continue
		default:
			return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}

// unlock ends the lock for every copy of the descriptor, an orphaned git's too.
func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// isAncestor tells whether pid is this process's parent, or that one's, and so on.
func isAncestor(pid int) bool {
	if pid <= 1 {
		return false
	}
	for at, steps := os.Getppid(), 0; at > 1 && steps < 64; at, steps = parent(at), steps+1 {
		if at == pid {
			return true
		}
	}
	return false
}

// parent is a process's parent, 0 when it cannot be told.
func parent(pid int) int {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return parentByPs(pid)
	}
	// The command's name stands in parentheses and may hold anything.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}

// parentByPs asks ps, where there is no /proc.
func parentByPs(pid int) int {
	if _, err := os.Stat("/proc/self"); err == nil {
		return 0
	}
	out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0
	}
	ppid, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	return ppid
}
