package task

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/store"
)

// refill gives a readmitted worktree its saved admin files and its own files back.
func (j *job) refill(ctx context.Context, entry store.Entry, record store.Record, admin git.Admin, detached bool) error {
	head, err := os.ReadFile(filepath.Join(admin.Dir, "HEAD"))
	if err != nil {
		return err
	}
	if err := entry.LoadAdmin(admin.Dir); err != nil {
		return err
	}
	if detached {
		if err := os.WriteFile(filepath.Join(admin.Dir, "HEAD"), head, 0o644); err != nil {
			return err
		}
	}
	if err := store.MoveModules(entry.Git(), admin.Dir); err != nil {
		return err
	}
	path := j.store.Path(j.name)
	// One whose directory was gone when it was pruned comes back as it was staged.
	all := !exists(entry.Tree()) && len(record.Dropped) == 0
	if err := moveIn(entry.Tree(), path); err != nil {
		return err
	}
	if err := repoint(path, record.Admin, filepath.Base(admin.Dir)); err != nil {
		return err
	}
	return j.repo.CheckoutIndex(ctx, path, all, record.Dropped)
}

// moveIn moves what is in from into to, but .git, which is git's new one there. What is
// there already stays.
func moveIn(from, to string) error {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == ".git" || exists(filepath.Join(to, e.Name())) {
			continue
		}
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm())
}

// repoint makes submodules find their repositories where git gave the worktree another
// admin directory than it had.
func repoint(path, old, id string) error {
	if old == "" || old == id {
		return nil
	}
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != ".git" || !d.Type().IsRegular() || filepath.Dir(file) == path {
			return err
		}
		data, err := git.ReadSmall(file)
		if err != nil {
			return nil
		}
		changed := strings.Replace(string(data), "/worktrees/"+old+"/modules/", "/worktrees/"+id+"/modules/", 1)
		if changed == string(data) {
			return nil
		}
		return os.WriteFile(file, []byte(changed), 0o644)
	})
}

// finishRestore goes on with a restore that was killed.
func (j *job) finishRestore(ctx context.Context, entry store.Entry, record store.Record) error {
	note(j.out, "a restore of worktree %s that was interrupted is finished", j.name)
	_, err := j.bringBack(ctx, entry, record)
	return err
}
