package include

import (
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A copier brings files from one directory into another, and nothing outside either.
type copier struct {
	from, to *os.Root
	tracked  []string // paths the target's index has, sorted
}

func newCopier(from, to string) (*copier, error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	target, err := os.OpenRoot(to)
	if err != nil {
		source.Close()
		return nil, err
	}
	return &copier{from: source, to: target}, nil
}

func (c *copier) close() {
	c.from.Close()
	c.to.Close()
}

// bring brings one file, and tells whether it did. What is to be left alone is neither
// brought nor an error.
func (c *copier) bring(name string) (bool, error) {
	if gits(name) || c.tracks(name) {
		return false, nil
	}
	info, err := c.from.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false, gone(err)
	}
	temporary := path.Join(path.Dir(name), unfinished(name))
	if ok, err := c.parents(path.Dir(name)); !ok {
		return false, err
	}
	// A run that was killed here left it, and the lock says that nobody else is at it.
	c.to.Remove(temporary)
	if _, err := c.to.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	defer c.to.Remove(temporary)
	if err := c.write(name, temporary, info); err != nil {
		return false, err
	}
	return c.place(temporary, name)
}

// gone is no error where a file went away since it was listed.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// parents makes the directories down to dir as they are in the source, and tells
// whether all of them are directories. A link is none, wherever it leads.
func (c *copier) parents(dir string) (bool, error) {
	if dir == "." {
		return true, nil
	}
	if ok, err := c.parents(path.Dir(dir)); !ok {
		return false, err
	}
	info, err := c.to.Lstat(dir)
	if err == nil {
		return info.IsDir(), nil
	}
	source, err := c.from.Lstat(dir)
	if err != nil || !source.IsDir() {
		return false, gone(err)
	}
	// Its owner must be able to fill it. Another file's goroutine may have been first.
	err = c.to.Mkdir(dir, source.Mode().Perm()|0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return err == nil, err
}

// write copies the source to a new file, contents, mode and time.
func (c *copier) write(name, temporary string, info fs.FileInfo) (err error) {
	in, err := c.from.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if opened, err := in.Stat(); err != nil || !os.SameFile(opened, info) {
		return errors.Join(errors.New("it changed meanwhile"), err)
	}
	out, err := c.to.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if !clone(out, in) {
		_, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Chmod(info.Mode().Perm())
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return c.to.Chtimes(temporary, info.ModTime(), info.ModTime())
}

// place gives the finished file its name, unless something has that by now.
func (c *copier) place(temporary, name string) (bool, error) {
	err := c.to.Link(temporary, name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, nil
	}
	// Some file systems have no hard links.
	if _, err := c.to.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = c.to.Rename(temporary, name)
	return err == nil, err
}

// tracks tells whether the target's index has the path, a file where the path needs a
// directory, or files below the path: a sparse checkout may have left out any of them.
func (c *copier) tracks(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if has(c.tracked, at) {
			return true
		}
	}
	below, _ := slices.BinarySearch(c.tracked, name+"/")
	return below < len(c.tracked) && strings.HasPrefix(c.tracked[below], name+"/")
}

// gits tells whether a part of the path is git's own, in any case: file systems
// differ on whether .GIT is another name.
func gits(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.EqualFold(part, ".git")
	})
}

// unfinished is the name a file has until it is whole. It is the same in every run, so
// that the next one clears what a killed one left.
func unfinished(name string) string {
	sum := fnv.New64a()
	sum.Write([]byte(name))
	return ".agent-worktree-include-" + strconv.FormatUint(sum.Sum64(), 16)
}

// reason is an error's cause without the path, which is named anyway.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err.Error()
	}
	return err.Error()
}
