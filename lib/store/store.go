// Package store owns the directories under the data directory: it makes them level
// by level, trusts none that another account could have a hand in, and proves that
// a directory is this project's own worktree before anyone touches it.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// A Store is where one project's worktrees live.
type Store struct {
	Data string // the data directory, absolute, links resolved
	Key  string // the project's directory in it
}

// Dir is where the project's worktrees live.
func (s Store) Dir() string { return filepath.Join(s.Data, s.Key) }

// Path is where the worktree of that name lives or would live.
func (s Store) Path(name string) string { return filepath.Join(s.Data, s.Key, name) }

// Ports is where port claims are kept, Trash and Kept the project's own parts of
// what was removed.
func (s Store) Ports() string { return filepath.Join(s.Data, "ports") }
func (s Store) Trash() string { return filepath.Join(s.Data, "trash", s.Key) }
func (s Store) Kept() string  { return filepath.Join(s.Data, "kept", s.Key) }

// Own tells whether a name directly under the data directory is the tool's own
// rather than a project's.
func Own(name string) bool { return name == "ports" || name == "trash" || name == "kept" }

// Make makes the levels from the data directory down to dir, each 0700, and refuses
// as unsafe_store at the first that is not ours alone. A level that exists keeps its
// mode. What lies above the data directory is made as any program would.
func (s Store) Make(dir string) error {
	if err := fault.MkdirAll(filepath.Dir(s.Data), 0o700); err != nil {
		return unsafe(filepath.Dir(s.Data), reason(err), Room(filepath.Dir(s.Data)))
	}
	for _, level := range s.levels(dir) {
		if err := fault.Mkdir(level, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return unsafe(level, reason(err), Room(level))
		}
		if err := check(level); err != nil {
			return err
		}
	}
	return nil
}

// Check refuses as unsafe_store when a level from the data directory down to dir
// exists and is not ours alone. It makes nothing.
func (s Store) Check(dir string) error {
	for _, level := range s.levels(dir) {
		if err := check(level); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
	}
	return nil
}

// levels are the directories from the data directory down to dir.
func (s Store) levels(dir string) []string {
	var list []string
	for at := dir; ; at = filepath.Dir(at) {
		list = append([]string{at}, list...)
		if at == s.Data || at == filepath.Dir(at) {
			return list
		}
	}
}

// Room is the act after which a directory can be made at path, or looked at.
func Room(path string) string {
	at := path
	info, err := os.Lstat(at)
	for err != nil && at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	switch {
	case err == nil && !info.IsDir():
		return refuse.Aside(at)
	case err == nil && ours(info) && info.Mode().Perm()&0o700 != 0o700:
		return "chmod u+rwx " + refuse.Shell(at)
	}
	return "make " + refuse.Shell(at) + " a directory that you can write to, or set XDG_DATA_HOME to one"
}

// check looks at one level without following a link.
func check(level string) error {
	info, err := os.Lstat(level)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return unsafe(level, reason(err), Room(level))
	case info.Mode()&os.ModeSymlink != 0:
		return unsafe(level, "it is a symbolic link", "put a real directory in its place, or set XDG_DATA_HOME to another directory")
	case !info.IsDir():
		return unsafe(level, "it is no directory", refuse.Aside(level))
	case !ours(info):
		return unsafe(level, "it belongs to another account", "sudo chown \"$(id -u)\" "+refuse.Shell(level))
	case info.Mode().Perm()&0o022 != 0:
		return unsafe(level, fmt.Sprintf("its mode %04o lets other accounts write to it", info.Mode().Perm()), "chmod go-w "+refuse.Shell(level))
	}
	return nil
}

func unsafe(path, why, act string) error {
	return &refuse.Refusal{
		Code:    refuse.UnsafeStore,
		Message: "the store's directory " + path + " is not safe: " + why,
		Meta:    refuse.Meta{{Key: "path", Value: path}, {Key: "reason", Value: why}},
		Resolve: act,
	}
}

// reason is an error's cause without the path, which the message has.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// An Owner is whose worktree a directory is, by where its own .git leads.
type Owner int

// Nobody's is a directory without a .git that leads anywhere; Ours leads to this clone,
// Anothers to another repository that exists.
const (
	Nobodys Owner = iota
	Ours
	Anothers
)

// OwnerOf tells whose worktree the directory is: the third part of the proof that it is
// ours, beside git listing it and its place.
func OwnerOf(dir, common string) Owner {
	link := git.Link(dir)
	if link == "" {
		if info, err := os.Stat(filepath.Join(dir, ".git")); err == nil && info.IsDir() {
			return Anothers
		}
		return Nobodys
	}
	switch other := commonOf(link, common); {
	case other == common:
		return Ours
	case other == "":
		return Nobodys
	default:
		if _, err := os.Stat(other); err != nil {
			return Nobodys
		}
		return Anothers
	}
}

// commonOf is the common directory of a git directory. One that lies where this clone
// keeps its worktrees' own is this clone's, in no further read.
func commonOf(link, common string) string {
	if filepath.Dir(link) == filepath.Join(common, "worktrees") {
		if _, err := os.Lstat(link); err == nil {
			return common
		}
	}
	return git.CommonOf(link)
}

// Leads tells whether the directory's own .git leads to this clone.
func Leads(dir, common string) bool { return OwnerOf(dir, common) == Ours }
