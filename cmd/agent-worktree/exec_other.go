//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// become runs the tool at path with this process's streams and exits as it does.
// It returns only when the tool cannot be started.
func become(path string, args []string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if err == nil || errors.As(err, &ended) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return fmt.Errorf("cannot run %s: %w", path, err)
}
