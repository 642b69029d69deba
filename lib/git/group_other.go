//go:build !unix

package git

import (
	"context"
	"os/exec"
)

// ownGroup does nothing where there are no process groups; no command of ours runs there.
func ownGroup(*exec.Cmd) {}

// stopGroup leaves the kill to os/exec.
func stopGroup(context.Context, *exec.Cmd) {}
