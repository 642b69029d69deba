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

// Delete removes the directory tree at path. It goes down by open directories, so that a
// link that somebody puts in a directory's place meanwhile is removed and not followed,
// and it crosses no mount. Directories of the caller's own that are read-only are made
// writable on the way. What cannot be removed is an error naming each path, and the rest
// is gone.
func Delete(path string) error {
	parent, err := os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	name := filepath.Base(path)
	info, err := parent.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	d := deletion{path: filepath.Dir(path), dev: deviceOf(info)}
	return d.remove(parent, name, info.IsDir())
}

// A deletion is one tree on its way out.
type deletion struct {
	path string // of the directory that is being looked at
	dev  uint64
}

// remove removes one name in an open directory. Whether it is a directory is only what
// was last seen: a link or a file in its place is removed as such.
func (d deletion) remove(in *os.Root, name string, dir bool) error {
	if dir {
		err := d.empty(in, name)
		if err != nil && !errors.Is(err, errNoDirectory) {
			return err
		}
	}
	if err := fault.Point("remove", filepath.Join(d.path, name)); err != nil {
		return err
	}
	if err := in.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "delete", Path: filepath.Join(d.path, name), Err: cause(err)}
	}
	return nil
}

// errNoDirectory is a name that turned out to be no directory of the tree.
var errNoDirectory = errors.New("not a directory")

// empty removes what is in a directory.
func (d deletion) empty(in *os.Root, name string) error {
	info, err := in.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return errNoDirectory
	}
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		in.Chmod(name, info.Mode().Perm()|0o700)
	}
	// A link that took the directory's place leads out, which OpenRoot refuses, or to
	// another part of the tree, which goes as well.
	sub, err := in.OpenRoot(name)
	if err != nil {
		if now, again := in.Lstat(name); again != nil || !now.IsDir() {
			return errNoDirectory
		}
		return &fs.PathError{Op: "delete", Path: filepath.Join(d.path, name), Err: cause(err)}
	}
	defer sub.Close()
	d.path = filepath.Join(d.path, name)
	return d.each(sub)
}

// each removes every entry of an open directory.
func (d deletion) each(dir *os.Root) error {
	here, err := dir.Open(".")
	if err != nil {
		return &fs.PathError{Op: "delete", Path: d.path, Err: cause(err)}
	}
	defer here.Close()
	info, err := here.Stat()
	if err != nil {
		return err
	}
	if deviceOf(info) != d.dev {
		return &fs.PathError{Op: "delete", Path: d.path, Err: ErrMount}
	}
	entries, err := here.ReadDir(-1)
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	for _, e := range entries {
		if err := d.remove(dir, e.Name(), e.IsDir()); err != nil {
			errs = append(errs, err)
		}
	}
	return few(errs)
}

// cause is an error without the name it carries, which is only the last part of a path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// few joins errors, at most three by name.
func few(errs []error) error {
	if len(errs) <= 3 {
		return errors.Join(errs...)
	}
	return errors.Join(append(errs[:3:3], fmt.Errorf("and %d more", len(errs)-3))...)
}
