package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cniska/agent-worktree/lib/fault"
)

// MoveModules moves the repositories of the worktree's submodules into the entry, or
// back when to and from are swapped: they may be large, and their commits may be
// nowhere else. Between two file systems they are copied whole before they go.
func MoveModules(from, to string) error {
	source, target := filepath.Join(from, "modules"), filepath.Join(to, "modules")
	if !dirThere(source) {
		return nil
	}
	err := fault.Rename(source, target)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	if dirThere(target) { // copied by a run that was killed before it deleted the source
		return Delete(source)
	}
	part := target + ".part"
	if err := errors.Join(Delete(part), copyWhole(source, part)); err != nil {
		return errors.Join(err, Delete(part))
	}
	if err := fault.Rename(part, target); err != nil {
		return err
	}
	return Delete(source)
}

// copyWhole copies a directory with all that is in it, modes and links kept.
func copyWhole(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return fault.Mkdir(target, info.Mode().Perm()|0o700)
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			return errors.Join(err, fault.Symlink(text, target))
		}
		return copyModed(path, target, info.Mode().Perm())
	})
}

func copyModed(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := fault.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	if err = fault.Point("copy", to); err == nil {
		_, err = io.Copy(out, in)
	}
	return errors.Join(err, out.Chmod(mode), out.Close())
}
