//go:build !unix

package hooks

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Commands refuse to run on these systems; this is what lets the package compile there.

var errFileBusy = errors.ErrUnsupported

const dontWait = 0

func ownSession() *syscall.SysProcAttr { return nil }

func stopGroup(_ int, _ os.Signal, ended <-chan error) { <-ended }

func executable(fs.FileInfo) bool { return true }

func killedBy(*os.ProcessState) (status int, name string) { return 0, "" }
