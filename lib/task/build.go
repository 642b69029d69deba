package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/ledger"
)

// makingReason is the lock reason of a worktree while it is being made: nobody's lock
// but ours.
func makingReason(name string) string { return "agent-worktree making " + name }

// build takes the steps from a branch to a checkout, in the order that resume relies on.
func (j *job) build(ctx context.Context, m plan) error {
	if err := j.makeBranch(ctx, m); err != nil {
		return err
	}
	if err := j.addWorktree(ctx, m.branch); err != nil {
		return err
	}
	return j.checkout(ctx, m)
}

// makeBranch makes a new branch, unless it is there already at its base.
func (j *job) makeBranch(ctx context.Context, m plan) error {
	if !m.cut {
		return nil
	}
	if err := j.repo.ForgetBranches(ctx, m.branch); err != nil {
		return err
	}
	branch := git.Change{Ref: "refs/heads/" + m.branch, New: m.tip}
	message := "branch: Created from " + m.from
	var first error
	if m.fetched != "" && m.tracking != "" {
		// The tracking ref follows what was fetched, where nothing stands against it:
		// else every later fetch brings the same commits again.
		first = j.repo.Update(ctx, message, true, branch, git.Change{Ref: m.tracking, New: m.tip, Any: true})
		if first == nil || ctx.Err() != nil {
			return first
		}
	}
	err := j.repo.Update(ctx, message, true, branch)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return j.judgeBranch(ctx, m, errors.Join(first, err))
}

// judgeBranch judges a branch that could not be made: nil where git had made it and was
// killed, or a making that is resumed has just been overtaken by the git it left;
// branch_exists where somebody else made one, which is not to be undone then.
func (j *job) judgeBranch(ctx context.Context, m plan, cause error) error {
	found, err := j.repo.Branches(ctx, m.branch)
	tip := found[m.branch].Tip
	var failed *git.Error
	switch {
	case err != nil || tip == "":
		return cause
	case tip == m.tip && (m.again || errors.As(cause, &failed) && failed.Status < 0):
		return nil
	}
	j.entry.Cut = false
	return j.branchExists(m.branch, found[m.branch].Worktree)
}

// addWorktree makes git's entry and the empty worktree, under the clone's lock.
func (j *job) addWorktree(ctx context.Context, branch string) error {
	lock, err := j.ledger.Repository(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	err = j.repo.MakeWorktree(ctx, lock, j.store.Path(j.name), branch, makingReason(j.name))
	if j.fresh = err == nil; err != nil {
		return err
	}
	return os.Chmod(j.store.Path(j.name), 0o700) // whatever the umask says
}

// checkout fills the worktree and runs git's post-checkout hook as a plain add would.
func (j *job) checkout(ctx context.Context, m plan) error {
	path := j.store.Path(j.name)
	if err := j.repo.Checkout(ctx, j.lock, path); err != nil {
		return err
	}
	head, branch, err := j.repo.HeadOf(ctx, git.Link(path))
	if err != nil {
		return err
	}
	if branch != m.branch && !m.again { // else somebody has switched it since
		return fmt.Errorf("git checked out %q in %s instead of branch %s", branch, path, m.branch)
	}
	return j.postCheckout(ctx, m.hook, head)
}

// postCheckout runs the user's own git hook, found from the primary. Its failure is a
// note: the worktree is complete.
func (j *job) postCheckout(ctx context.Context, hook, head string) error {
	if info, err := os.Stat(hook); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return nil
	}
	err := hooks.Run(ctx, hooks.Call{
		Path: hook, Args: []string{git.Zero(head), head, "1"}, Dir: j.store.Path(j.name),
		Env: git.Scrub(j.Env), Stderr: j.out,
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		note(j.out, "git's post-checkout hook failed: %s", err)
	}
	return nil
}

// stood unlocks the complete worktree, records it as pending and sets it up.
func (j *job) stood(ctx context.Context) error {
	admin, listed, err := git.AdminOf(j.Common, j.store.Path(j.name))
	if err != nil {
		return err
	}
	if reason, locked := admin.LockReason(); listed && locked && reason == makingReason(j.name) {
		if err := fault.Remove(filepath.Join(admin.Dir, "locked")); err != nil {
			return err
		}
	}
	if err := j.record(ledger.Pending); err != nil {
		return err
	}
	return j.prepare(ctx)
}

// record writes the entry with another setup.
func (j *job) record(setup string) error {
	j.entry.Setup = setup
	return j.ledger.Write(j.name, j.entry)
}

// takeBack undoes a making that failed, newest step first, and returns why it failed.
// After a signal it leaves all as it is, for the next run to go on from.
func (j *job) takeBack(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return cause
	}
	cause = j.explain(ctx, cause)
	if err := j.unmake(ctx); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

// unmake removes what making left: the directory, git's entry, the branch where this
// tool cut it and nothing was committed on it, and the entry.
func (j *job) unmake(ctx context.Context) error {
	j.clearRefLock(j.entry.Branch)
	j.clearLocks(ctx, j.entry.Created)
	if err := j.clearHalfMade(ctx); err != nil {
		return err
	}
	if err := j.dropHalfMade(ctx); err != nil {
		return err
	}
	if j.entry.Cut && j.entry.Base != "" {
		if err := j.uncut(ctx); err != nil {
			return err
		}
	}
	if _, err := j.ports.Free(ctx, j.ledger.File(j.name), nil); err != nil {
		return err
	}
	return j.ledger.Remove(j.name)
}

// uncut deletes the branch this making cut, while it is where it was cut.
func (j *job) uncut(ctx context.Context) error {
	ref := "refs/heads/" + j.entry.Branch
	refs, err := j.repo.Refs(ctx, ref)
	if err != nil || refs[ref] != j.entry.Base {
		return err
	}
	uses, err := j.repo.BranchUses()
	if err != nil || len(uses[ref]) > 0 {
		return err // somebody took it up meanwhile
	}
	err = j.repo.DropBranches(ctx, git.Branch{Name: j.entry.Branch, Tip: j.entry.Base})
	if j.uncutIt = err == nil; !j.uncutIt {
		return err
	}
	return j.repo.ForgetBranches(ctx, j.entry.Branch) // somebody may have pushed it
}

// clearRefLock removes the lock file of the branch that a killed making was just cutting.
// It is that one's: the worktree's lock is held, and nobody else makes this branch.
func (j *job) clearRefLock(branch string) {
	if !j.entry.Cut || !j.again {
		return
	}
	fault.Remove(filepath.Join(j.Common, "refs", "heads", filepath.FromSlash(branch)+".lock"))
}

// dropAdmins removes git's own directories for this making: those that lead to its
// path, and those that hold its lock reason and lead nowhere yet, which git neither
// lists nor ever removes.
func (j *job) dropAdmins(ctx context.Context, path string) error {
	lock, err := j.ledger.Repository(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	admins, err := git.Admins(j.Common)
	if err != nil {
		return err
	}
	for _, a := range admins {
		reason, locked := a.LockReason()
		making := locked && reason == makingReason(j.name) && (a.Path == "" || a.Path == path)
		if making || !locked && a.Path == path || j.nameless(ctx, a) { // unlocked at the end, killed before that was recorded
			if err := fault.RemoveAll(a.Dir); err != nil {
				return err
			}
		}
	}
	return nil
}
