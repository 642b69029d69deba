package task

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/store"
)

// resume goes on with a making that was killed, from the first step that is not done.
// The worktree's lock is held and the entry says making, so what is at that name is
// this making's own.
func (j *job) resume(ctx context.Context) error {
	note(j.out, "worktree %s was left half made; it is finished now", j.name)
	if err := j.clearHalfMade(ctx); err != nil {
		return err
	}
	j.clearLocks(ctx, j.entry.Created)
	m := plan{branch: j.entry.Branch, tip: j.entry.Base, from: short(j.entry.Base), cut: j.entry.Cut, again: true}
	heads, err := j.repo.Heads(ctx, j.Primary, "")
	if err != nil {
		return err
	}
	if m.hook = heads.Hook; !filepath.IsAbs(m.hook) {
		m.hook = filepath.Join(j.Primary, m.hook)
	}
	if err := j.store.Make(j.store.Dir()); err != nil {
		return err
	}
	j.again = true
	j.clearRefLock(m.branch)
	if err := j.rebuild(ctx, m); err != nil {
		return j.takeBack(ctx, err)
	}
	return j.stood(ctx)
}

// rebuild is build, without what is there already.
func (j *job) rebuild(ctx context.Context, m plan) error {
	found, err := j.repo.Branches(ctx, m.branch)
	if err != nil {
		return err
	}
	tip := found[m.branch].Tip
	if tip == "" {
		if err := j.makeBranch(ctx, m); err != nil {
			return err
		}
		tip = m.tip
	}
	begun, err := j.begun(ctx, tip)
	if err != nil {
		return err
	}
	if !begun {
		if err := j.dropHalfMade(ctx); err != nil {
			return err
		}
		if err := j.addWorktree(ctx, m.branch); err != nil {
			return err
		}
	}
	return j.checkout(ctx, m)
}

// begun tells whether git's entry is complete and its checkout can be finished, since
// no file there differs from the commit. Lock files that the killed git left are cleared.
func (j *job) begun(ctx context.Context, tip string) (bool, error) {
	path := j.store.Path(j.name)
	if bare, err := onlyGit(path); err != nil || bare {
		return false, err
	}
	admin, listed, err := git.AdminOf(j.Common, path)
	if err != nil || !listed || !store.Leads(path, j.Common) {
		return false, err
	}
	clearIndexLocks(admin)
	ok, err := j.repo.Untouched(ctx, path, admin.Dir, tip)
	return ok && err == nil, nil
}

// clearIndexLocks removes the lock files that a killed git left in an admin directory.
func clearIndexLocks(admin git.Admin) {
	locks, _ := filepath.Glob(filepath.Join(admin.Dir, "*.lock"))
	for _, lock := range locks {
		fault.Remove(lock)
	}
}

// onlyGit tells whether there is nothing at path, or a directory with at most a .git
// file in it: nothing was checked out.
func onlyGit(path string) (bool, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return len(entries) == 0 || len(entries) == 1 && entries[0].Name() == ".git" && !entries[0].IsDir(), nil
}

// dropHalfMade removes the directory and git's entries that making this worktree left.
func (j *job) dropHalfMade(ctx context.Context) error {
	path := j.store.Path(j.name)
	bare, err := onlyGit(path)
	if err != nil {
		return err
	}
	switch {
	case bare:
		err = store.Delete(path)
	case j.fresh:
		err = store.Delete(path)
	case store.Leads(path, j.Common):
		err = j.discardHalfMade(ctx, path)
	default:
		return j.unmanaged(standing{name: j.name, path: path})
	}
	if err != nil {
		return err
	}
	return j.dropAdmins(ctx, path)
}

// discardHalfMade deletes a checkout that holds nothing but files of its commit. One
// that holds more goes to the trash: a person may have put it there.
func (j *job) discardHalfMade(ctx context.Context, path string) error {
	admin, _, err := git.AdminOf(j.Common, path)
	if err != nil {
		return err
	}
	commit := j.entry.Base
	if found, err := j.repo.Branches(ctx, j.entry.Branch); err == nil && found[j.entry.Branch].Tip != "" {
		commit = found[j.entry.Branch].Tip
	}
	if ok, err := j.repo.Untouched(ctx, path, admin.Dir, commit); err == nil && ok {
		return store.Delete(path)
	}
	entry, err := j.store.NewEntry(j.name, time.Now(), j.anchorsTaken)
	if err != nil {
		return err
	}
	note(j.out, "the half-made directory %s held files of its own, which are kept in %s", path, entry.Tree())
	return fault.Rename(path, entry.Tree())
}
