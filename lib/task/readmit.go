package task

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/store"
)

// freeBranch is the branch the worktree comes back on, recreated where it is gone; ""
// where it comes back detached, since the branch moved on or is checked out elsewhere.
func (j *job) freeBranch(ctx context.Context, record store.Record) (string, error) {
	if record.Branch == "" {
		return "", nil
	}
	ref := "refs/heads/" + record.Branch
	found, err := j.repo.Branches(ctx, record.Branch)
	if err != nil {
		return "", err
	}
	uses, err := j.repo.BranchUses()
	if err != nil {
		return "", err
	}
	for _, at := range uses[ref] {
		if at != j.store.Path(j.name) {
			note(j.out, "branch %s is checked out at %s, so the worktree comes back detached at %s", record.Branch, at, short(record.Head))
			return "", nil
		}
	}
	switch tip := found[record.Branch].Tip; tip {
	case record.Head:
	case "":
		if err := j.recreate(ctx, record.Branch, record.Head); err != nil {
			return "", err
		}
	default:
		note(j.out, "branch %s is at %s now, so the worktree comes back detached at %s", record.Branch, short(tip), short(record.Head))
		return "", nil
	}
	return record.Branch, j.settingsBack(ctx, record)
}

// recreate makes a branch again where it is gone.
func (j *job) recreate(ctx context.Context, branch, tip string) error {
	if branch == "" || tip == "" {
		return nil
	}
	found, err := j.repo.Branches(ctx, branch)
	if err != nil || found[branch].Tip != "" {
		return err
	}
	return j.repo.Update(ctx, "agent-worktree: restore "+j.name, false, git.Change{Ref: "refs/heads/" + branch, New: tip})
}

// settingsBack writes the branch's settings that it has none of: where it was never
// deleted, or a run that was killed got as far, it has its own.
func (j *job) settingsBack(ctx context.Context, record store.Record) error {
	if len(record.Settings) == 0 {
		return nil
	}
	config, err := j.repo.Config(ctx)
	if err != nil {
		return err
	}
	var missing []string
	for _, s := range record.Settings {
		if key, _, _ := strings.Cut(s, "="); len(config[key]) == 0 {
			missing = append(missing, s)
		}
	}
	return j.repo.RestoreBranch(ctx, missing)
}

// restoringReason is the lock reason of a worktree on its way back.
func restoringReason(name string) string { return "agent-worktree restoring " + name }

// readmit makes git's entry again, detached and with nothing checked out. One that a
// killed run left half made is made anew.
func (j *job) readmit(ctx context.Context, path string, record store.Record) (git.Admin, error) {
	commit := record.Head
	if commit == "" { // it had none yet; its own HEAD is written over this one
		var err error
		if commit, err = j.repo.Resolve(ctx, "HEAD"); err != nil {
			return git.Admin{}, err
		}
	}
	lock, err := j.ledger.Repository(ctx)
	if err != nil {
		return git.Admin{}, err
	}
	defer lock.Unlock()
	if admin, listed, err := git.AdminOf(j.Common, path); err != nil || listed && sound(admin, path, j.Common) {
		clearIndexLocks(admin)
		return admin, err
	}
	if err := j.dropReadmitted(ctx, path); err != nil {
		return git.Admin{}, err
	}
	if err := j.repo.MakeDetached(ctx, lock, path, commit, restoringReason(j.name)); err != nil {
		return git.Admin{}, err
	}
	if err := os.Chmod(path, 0o700); err != nil { // whatever the umask says
		return git.Admin{}, err
	}
	admin, listed, err := git.AdminOf(j.Common, path)
	if err == nil && !listed {
		err = fmt.Errorf("git made no entry for %s", path)
	}
	return admin, err
}

// sound tells whether git got to the end of making the entry.
func sound(admin git.Admin, path, common string) bool {
	return !admin.HalfMade() && !admin.Broken() && store.Leads(path, common)
}

// dropReadmitted removes what a git that was killed left of the worktree on its way
// back: its entry, told by its lock's reason, and a directory with no file in it yet.
func (j *job) dropReadmitted(ctx context.Context, path string) error {
	admins, err := git.Admins(j.Common)
	if err != nil {
		return err
	}
	for _, a := range admins {
		reason, locked := a.LockReason()
		mine := locked && (reason == restoringReason(j.name) || a.Path == path)
		if mine && (a.Path == "" || a.Path == path) || j.nameless(ctx, a) {
			if err := fault.RemoveAll(a.Dir); err != nil {
				return err
			}
		}
	}
	if bare, err := onlyGit(path); err != nil || !bare {
		return err
	}
	return store.Delete(path)
}
