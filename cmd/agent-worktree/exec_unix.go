//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// become replaces this process by the tool at path. It returns only on failure.
func become(path string, args []string) error {
	err := syscall.Exec(path, append([]string{path}, args...), os.Environ())
	return fmt.Errorf("cannot run %s: %w", path, err)
}
