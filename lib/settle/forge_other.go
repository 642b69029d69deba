//go:build !unix

package settle

import "os/exec"

// ownGroup leaves the kill to os/exec where there are no process groups.
func ownGroup(*exec.Cmd) {}
