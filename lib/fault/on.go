//go:build faultinject && unix

package fault

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	at, _ = strconv.Atoi(os.Getenv("AW_FAULT_AT"))
	kind  = os.Getenv("AW_FAULT_KIND")
	log   = os.Getenv("AW_FAULT_LOG")

	mu     sync.Mutex
	passed int
)

var errnos = map[string]syscall.Errno{
	"ENOSPC": syscall.ENOSPC, "EIO": syscall.EIO, "EROFS": syscall.EROFS,
	"EACCES": syscall.EACCES, "EMFILE": syscall.EMFILE,
}

var signals = map[string]syscall.Signal{
	"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP,
}

// Point is passed before op is done on what is named; an error is to be op's own.
func Point(op string, on ...string) error {
	return point(op, on, func() {})
}

// half is the point in the middle of deleting a directory: what sorts first is gone.
func half(path string) error {
	return point("remove half", []string{path}, func() {
		entries, _ := os.ReadDir(path)
		for i := 0; i < (len(entries)+1)/2; i++ {
			os.RemoveAll(filepath.Join(path, entries[i].Name()))
		}
	})
}

// empty is the point between making a file and writing it.
func empty(path string, mode fs.FileMode) error {
	return point("write", []string{path}, func() { os.WriteFile(path, nil, mode) })
}

// point counts, and where it is its turn does what was asked for; before is what has
// happened by then.
func point(op string, on []string, before func()) error {
	mu.Lock()
	passed++
	n := passed
	record(n, op, on)
	mu.Unlock()
	name, lasting := strings.CutSuffix(kind, "+")
	if at == 0 || n < at || n > at && !lasting {
		return nil
	}
	before()
	switch {
	case kind == "kill":
		die()
	case kind == "group":
		killBelow(os.Getpid())
		die()
	case kind == "run":
		exec.Command("sh", "-c", os.Getenv("AW_FAULT_RUN")).Run()
		return nil
	case signals[name] != 0:
		syscall.Kill(os.Getpid(), signals[name])
		time.Sleep(5 * time.Millisecond) // until the handler has seen it
		return nil
	}
	return &fs.PathError{Op: op, Path: strings.Join(on, " "), Err: errnos[name]}
}

func record(n int, op string, on []string) {
	if log == "" {
		return
	}
	f, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		fmt.Fprintf(f, "%d %s %s\n", n, op, strings.Join(on, " "))
		f.Close()
	}
}

func die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// killBelow kills the descendants of a process, where /proc tells them.
func killBelow(pid int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		text, err := os.ReadFile(stat)
		if err != nil || child == pid {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			killBelow(child)
			syscall.Kill(child, syscall.SIGKILL)
		}
	}
}
