package guard

import (
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

// notDeletable refuses a tree whose directory cannot be renamed into the trash. What
// could not be deleted inside it does not matter here: it is renamed whole.
func notDeletable(s Subject) *refuse.Refusal {
	if s.moved() {
		return nil
	}
	at, why, act := s.obstacle()
	if why == "" {
		return nil
	}
	return &refuse.Refusal{
		Code:    refuse.NotDeletable,
		Message: "worktree " + s.Name + " cannot be moved away: " + refuse.Visible(at) + " " + why,
		Meta: append(refuse.Meta{{Key: "name", Value: s.Name}, {Key: "path", Value: at}},
			refuse.Fact{Key: "reason", Value: why}),
		Resolve: act,
	}
}

// obstacle is the first thing in the way of the rename, why it is, and the act.
func (s Subject) obstacle() (at, why, act string) {
	again := "agent-worktree remove " + refuse.Shell(s.Name) // which says what it is by then
	info, err := os.Lstat(s.At)
	if err != nil {
		return s.At, "cannot be seen: " + cause(err), again
	}
	if !info.IsDir() {
		return s.At, "is no directory of its own", again
	}
	parent := filepath.Dir(s.At)
	if err := unchangeable(parent); err != nil {
		return barred(parent, err)
	}
	if stuck(parent, info) {
		return s.At, "belongs to another account in a sticky directory", takeOver(s.At)
	}
	if err := unchangeable(s.At); err != nil { // its `..` changes with its place
		return barred(s.At, err)
	}
	return s.trashObstacle()
}

// trashObstacle is what keeps the trash from taking it.
func (s Subject) trashObstacle() (at, why, act string) {
	if s.Trash == "" {
		return "", "", ""
	}
	trash := nearest(s.Trash)
	from, _ := store.Identify(s.At)
	to, _ := store.Identify(trash)
	if from.Dev != to.Dev {
		return s.At, "is on another file system than the trash in " + refuse.Visible(trash),
			"agent-worktree remove --discard " + refuse.Shell(s.Name)
	}
	if err := unchangeable(trash); err != nil {
		return barred(trash, err)
	}
	return "", "", ""
}

// barred is a directory that may not be written to, and how it becomes writable.
func barred(dir string, err error) (at, why, act string) {
	act = "chmod u+wx " + refuse.Shell(dir)
	if info, e := os.Lstat(dir); e == nil && !mine(info) {
		act = takeOver(dir)
	} else if e == nil && info.Mode().Perm()&0o300 == 0o300 {
		act = "lift what else keeps " + refuse.Shell(dir) + " from being written to: a read-only mount, a flag, an access list"
	}
	return dir, "may not be written to: " + cause(err), act
}

func takeOver(path string) string { return `sudo chown "$(id -u)" ` + refuse.Shell(path) }

// nearest is the nearest ancestor of path, or path, that is there.
func nearest(path string) string {
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			return at
		}
	}
}

// cause is an error without the path, which is named already.
func cause(err error) string {
	if p, ok := err.(*os.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}
