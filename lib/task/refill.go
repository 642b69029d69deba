package task

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/store"
)

// refill gives a readmitted worktree its saved admin files and its own files back. left
// is how many of them found their place taken.
func (j *job) refill(ctx context.Context, entry store.Entry, record store.Record, admin git.Admin) (left int, err error) {
	path := j.store.Path(j.name)
	if !exists(entry.Git()) {
		return 0, j.checkOut(ctx, path, admin)
	}
	if err := entry.LoadAdmin(admin.Dir); err != nil {
		return 0, err
	}
	if j.onBranch == "" && record.Head != "" {
		if err := fault.WriteFile(filepath.Join(admin.Dir, "HEAD"), []byte(record.Head+"\n"), 0o644); err != nil {
			return 0, err
		}
	}
	if err := store.MoveModules(entry.Git(), admin.Dir); err != nil {
		return 0, err
	}
	if err := j.dropCaches(entry, record); err != nil {
		return 0, err
	}
	if left, err = moveIn(entry.Tree(), path, record.Modes.Root); err != nil {
		return left, err
	}
	if err := j.writeDropped(ctx, record, path); err != nil {
		return left, err
	}
	if err := repoint(path, record.Admin, filepath.Base(admin.Dir)); err != nil {
		return left, err
	}
	if record.Gone { // it comes back as it was staged
		return left, j.repo.CheckoutIndex(ctx, path)
	}
	return left, nil
}

// checkOut fills a worktree of which only the commit is known.
func (j *job) checkOut(ctx context.Context, path string, admin git.Admin) error {
	if j.onBranch != "" {
		head := []byte("ref: refs/heads/" + j.onBranch + "\n")
		if err := fault.WriteFile(filepath.Join(admin.Dir, "HEAD"), head, 0o644); err != nil {
			return err
		}
	}
	return j.repo.Checkout(ctx, j.lock, path)
}

// moveIn moves what is in from into to, but .git, which is git's new one there. What is
// there already stays; left is how many files could not be moved for it. A tree that is
// not there any more had the mode root.
func moveIn(from, to string, root fs.FileMode) (left int, err error) {
	left, err = merge(from, to, true)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return left, err
	}
	if info, err := os.Stat(from); err == nil {
		root = info.Mode().Perm()
	}
	if root == 0 {
		root = 0o700
	}
	return left, os.Chmod(to, root)
}

// merge moves the entries of one directory into another, those below it where both have
// one of that name.
func merge(from, to string, top bool) (left int, err error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if top && e.Name() == ".git" {
			continue
		}
		info, err := os.Lstat(target)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return left, err
		case err != nil:
			err = moveOne(source, target, e.IsDir())
		case e.IsDir() && info.IsDir():
			var more int
			more, err = merge(source, target, false)
			left += more
		default:
			left++
			err = nil
		}
		if err != nil {
			return left, err
		}
	}
	return left, nil
}

// moveOne renames; a directory its owner may not write to cannot be moved as it is,
// since its `..` changes.
func moveOne(source, target string, dir bool) error {
	err := fault.Rename(source, target)
	if !dir || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	info, e := os.Lstat(source)
	if e != nil {
		return err
	}
	if e := fault.Chmod(source, info.Mode().Perm()|0o700); e != nil {
		return err
	}
	if err := fault.Rename(source, target); err != nil {
		return err
	}
	return fault.Chmod(target, info.Mode().Perm())
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
		return fault.WriteFile(file, []byte(changed), 0o644)
	})
}

// finishRestore goes on with a restore that was killed. Where the worktree is registered
// it had come to its end: its user may have worked in it since.
func (j *job) finishRestore(ctx context.Context, entry store.Entry, record store.Record) error {
	registered, err := j.ledger.Read(j.name)
	if err != nil {
		return err
	}
	if registered != nil {
		left, _ := leftIn(entry.Tree())
		return j.done(entry, record, left)
	}
	note(j.out, "a restore of worktree %s that was interrupted is finished", j.name)
	if err := j.awaitGit(ctx); err != nil {
		return err
	}
	unlock, err := j.lockEntry(ctx, entry)
	if err != nil {
		return err
	}
	defer unlock()
	if err := j.clearHalfMade(ctx); err != nil {
		return err
	}
	j.clearLocks(ctx, written(entry))
	if err := j.bringBack(ctx, entry, record); err != nil {
		if ctx.Err() != nil || exists(j.store.Path(j.name)) {
			return err
		}
		note(j.out, "it stays removed: %s", err)
		return j.stayAway(entry, record)
	}
	j.restored = entry.ID
	return nil
}

// leftIn counts the files of a tree that were not moved out of it.
func leftIn(tree string) (n int, err error) {
	err = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path != filepath.Join(tree, ".git") {
			n++
		}
		return err
	})
	return n, err
}
