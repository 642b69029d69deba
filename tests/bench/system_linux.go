package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// alone takes a lock that ends with this process: two runs in one scratch directory would
// take each other's worktrees away.
func alone(path string) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		file.Close()
		return nil, fmt.Errorf("another run holds %s: wait for it, or choose another -dir", path)
	}
	return func() { file.Close() }, nil
}

// adopt makes this process the parent of what its children leave running, so that it can
// be waited for: a removal's slimming would go on into the next measurement.
func adopt() {
	const setChildSubreaper = 36 // prctl(2)
	syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
}

// orphans waits for what was left running and returns the processor time it took.
func orphans() (cpu time.Duration, err error) {
	for range 120_000 {
		var usage syscall.Rusage
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, &usage)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return cpu, nil
		case pid > 0:
			cpu += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		default:
			time.Sleep(time.Millisecond)
		}
	}
	return cpu, errors.New("what it left running does not end")
}

// peak is the most memory that a process had resident so far, in bytes. getrusage does
// not do: a child begins with its parent's figure, and ends with its own children's.
func peak(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kB int64
	fmt.Sscan(rest, &kB)
	return kB << 10
}

// fileSystem names the file system that a directory is on.
func fileSystem(dir string) string {
	var info syscall.Statfs_t
	if syscall.Statfs(dir, &info) != nil {
		return "unknown"
	}
	switch info.Type {
	case 0xef53:
		return "ext4"
	case 0x01021994:
		return "tmpfs"
	}
	return fmt.Sprintf("type %#x", info.Type)
}

func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(info), "model name")
	model, _, _ := strings.Cut(rest, "\n")
	return strings.Trim(model, " \t:")
}
