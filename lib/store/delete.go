package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/fault"
)

// ErrMount is a directory on another file system inside what is to be deleted.
var ErrMount = errors.New("it is on another file system")

// Delete removes the directory tree at path. It follows no link and crosses no mount;
// directories of the caller's own that are read-only are made writable on the way.
// What cannot be removed is an error naming each path, and the rest is gone.
func Delete(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fault.Remove(path)
	}
	root, _ := Identify(path)
	return deleteTree(path, root.Dev)
}

func deleteTree(dir string, dev uint64) error {
	id, ok := Identify(dir)
	if ok && id.Dev != dev {
		return &fs.PathError{Op: "delete", Path: dir, Err: ErrMount}
	}
	entries, err := readWritable(dir)
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = deleteTree(path, dev)
		} else {
			err = fault.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return few(errs)
	}
	if err := fault.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readWritable lists a directory, first giving its owner back the right to change it.
func readWritable(dir string) ([]fs.DirEntry, error) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && info.Mode().Perm()&0o700 != 0o700 {
		fault.Chmod(dir, info.Mode().Perm()|0o700)
	}
	return os.ReadDir(dir)
}

// few joins errors, at most three by name.
func few(errs []error) error {
	if len(errs) <= 3 {
		return errors.Join(errs...)
	}
	return errors.Join(append(errs[:3:3], fmt.Errorf("and %d more", len(errs)-3))...)
}
