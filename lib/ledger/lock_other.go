//go:build !unix

package ledger

import (
	"errors"
	"os"
)

var errNoLocks = errors.New("this system has no file locks that the ledger could use")

func openLock(string) (*os.File, error)         { return nil, errNoLocks }
func openRegular(path string) (*os.File, error) { return os.Open(path) }
func tryLock(*os.File) (bool, error)            { return false, errNoLocks }
func waitLock(*os.File) (bool, error)           { return false, errNoLocks }
func unlock(*os.File)                           {}
func isAncestor(int) bool                       { return false }
