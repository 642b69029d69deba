package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
)

// notSaved are the files of an admin directory that tie it to its old place, or that
// only a running git has a use for.
func notSaved(name string) bool {
	return name == "gitdir" || name == "commondir" || name == "locked" || strings.HasSuffix(name, ".lock")
}

// SaveAdmin copies git's admin directory of a worktree into the entry, without what
// ties it to its place; submodules' repositories in modules are left for MoveModules.
func (e Entry) SaveAdmin(admin string) error {
	return copyDir(admin, e.Git(), func(rel string, d fs.DirEntry) bool {
		return rel == "modules" || !d.IsDir() && notSaved(rel)
	})
}

// LoadAdmin copies the saved admin files over those of a new admin directory.
func (e Entry) LoadAdmin(admin string) error {
	return copyDir(e.Git(), admin, func(rel string, d fs.DirEntry) bool {
		return rel == "modules" || !d.IsDir() && notSaved(rel)
	})
}

// SavedWhole tells whether an admin directory still has every file that was saved of
// it: git may have been killed while it deleted the directory.
func (e Entry) SavedWhole(admin string) bool {
	for _, name := range []string{"gitdir", "commondir"} {
		if _, err := os.Lstat(filepath.Join(admin, name)); err != nil {
			return false
		}
	}
	err := filepath.WalkDir(e.Git(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(e.Git(), path)
		if rel == "modules" {
			return fs.SkipDir
		}
		_, err = os.Lstat(filepath.Join(admin, rel))
		return err
	})
	return err == nil || errors.Is(err, fs.ErrNotExist) && !dirThere(e.Git())
}

func dirThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// copyDir copies regular files and directories of from into to, but for what skip
// names by its path below from.
func copyDir(from, to string, skip func(rel string, d fs.DirEntry) bool) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if rel != "." && skip(rel, d) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return fault.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := fault.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err = fault.Point("copy", to); err == nil {
		_, err = io.Copy(out, in)
	}
	return errors.Join(err, out.Close())
}
