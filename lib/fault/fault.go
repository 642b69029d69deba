// Package fault is where a test build can be made to fail: every start of git and every
// file operation with an effect passes one of its points. In a release build a point is
// nothing at all, and the functions here are those of package os.
//
// A build with the tag faultinject counts the points it passes. Its environment says at
// which of them, counted from 1, what happens:
//
//	AW_FAULT_AT=<n>        the point; without it nothing happens
//	AW_FAULT_KIND=kill     the process kills itself
//	AW_FAULT_KIND=group    it kills all its descendants first
//	AW_FAULT_KIND=ENOSPC   the operation fails so, once (also EIO, EROFS, EACCES, EMFILE)
//	AW_FAULT_KIND=ENOSPC+  it and every later one fail so
//	AW_FAULT_KIND=run      the shell command in AW_FAULT_RUN runs first, as another process would
//	AW_FAULT_KIND=SIGTERM  the process gets the signal and goes on (also SIGINT, SIGHUP)
//	AW_FAULT_LOG=<file>    each point passed is written there, one a line
package fault

import (
	"io/fs"
	"os"
)

// Rename is os.Rename.
func Rename(from, to string) error {
	if err := Point("rename", to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Link is os.Link.
func Link(from, to string) error {
	if err := Point("link", to); err != nil {
		return err
	}
	return os.Link(from, to)
}

// Symlink is os.Symlink.
func Symlink(text, path string) error {
	if err := Point("symlink", path); err != nil {
		return err
	}
	return os.Symlink(text, path)
}

// Remove is os.Remove.
func Remove(path string) error {
	if err := Point("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

// RemoveAll is os.RemoveAll, which can be stopped half way.
func RemoveAll(path string) error {
	if err := Point("remove all", path); err != nil {
		return err
	}
	if err := half(path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// Mkdir is os.Mkdir.
func Mkdir(path string, mode fs.FileMode) error {
	if err := Point("mkdir", path); err != nil {
		return err
	}
	return os.Mkdir(path, mode)
}

// MkdirAll is os.MkdirAll.
func MkdirAll(path string, mode fs.FileMode) error {
	if err := Point("mkdir", path); err != nil {
		return err
	}
	return os.MkdirAll(path, mode)
}

// Chmod is os.Chmod.
func Chmod(path string, mode fs.FileMode) error {
	if err := Point("chmod", path); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// OpenFile is os.OpenFile, for one that makes or empties a file.
func OpenFile(path string, flags int, mode fs.FileMode) (*os.File, error) {
	if err := Point("open", path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, flags, mode)
}

// CreateTemp is os.CreateTemp.
func CreateTemp(dir, pattern string) (*os.File, error) {
	if err := Point("create", dir, pattern); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, pattern)
}

// MkdirTemp is os.MkdirTemp.
func MkdirTemp(dir, pattern string) (string, error) {
	if err := Point("mkdir", dir, pattern); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, pattern)
}

// WriteFile is os.WriteFile, which can be stopped with the file still empty.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	if err := Point("create", path); err != nil {
		return err
	}
	if err := empty(path, mode); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}

// Sync is f.Sync.
func Sync(f *os.File) error {
	if err := Point("sync", f.Name()); err != nil {
		return err
	}
	return f.Sync()
}
