//go:build !unix

package later

import "os/exec"

func detach(*exec.Cmd) {}

// quieten does nothing here.
func quieten() {}
