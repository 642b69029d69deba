//go:build unix

package hooks

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReadThenRunTheSameBytes(t *testing.T) {
	c := call(t, "#!/bin/sh\necho first >ran\n")
	script, err := Read(c.Path)
	if err != nil || len(script.Sum) != 64 {
		t.Fatalf("Read() = %+v, %v; want a SHA-256", script, err)
	}
	put(t, c.Path, "#!/bin/sh\necho second >ran\n", 0o755)
	if changed, err := Read(c.Path); err != nil || changed.Sum == script.Sum {
		t.Errorf("Read() after a change = %s, %v; want another sum", changed.Sum, err)
	}
	c.Body, c.Scratch = script.Body, t.TempDir()
	if err := Run(context.Background(), c); err != nil {
		t.Fatalf("Run() = %v; want nil", err)
	}
	if got, err := os.ReadFile(filepath.Join(c.Dir, "ran")); string(got) != "first\n" {
		t.Errorf("ran = %q, %v; want first", got, err)
	}
	if left, err := os.ReadDir(c.Scratch); err != nil || len(left) != 0 {
		t.Errorf("scratch = %v, %v; want it empty", left, err)
	}
}

func TestReadHangsOnNothing(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, dir, filepath.Join(dir, "none"), "/dev/zero"} {
		if _, err := Read(path); err == nil {
			t.Errorf("Read(%s) = nil; want an error", path)
		}
	}
}
