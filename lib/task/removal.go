package task

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// A removal is one worktree on its way out, its lock held.
type removal struct {
	*job
	path      string // where it stands
	options   RemoveOptions
	verb      string // why it goes
	admin     git.Admin
	status    git.Status
	unread    bool   // git could not tell the status: what is staged is not known
	doing     string // the branch that a paused rebase or a bisect is about
	branch    string // short, "" when detached
	tip       string // the commit judged
	block     ports.Block
	inside    func() []guard.Process
	id        store.Identity // what was judged is what goes
	trash     store.Entry
	failed    error  // the teardown's, when force went past it
	unmade    bool   // a making was undone
	unsettled error  // why the branch could not be settled
	gone      bool   // there was no directory any more
	wanted    bool   // its tree in the trash is worth slimming
	archive   string // the entry of its kept files, "" for none
	verdict   settle.Verdict
}

// check judges the worktree where it stands.
func (r *removal) check(ctx context.Context) error {
	if err := r.belongs(); err != nil {
		return err
	}
	return r.ask(ctx)
}

// away tears a checked worktree down, judges it again and moves it to the trash.
func (r *removal) away(ctx context.Context) error {
	if r.settles() && !r.hooked() {
		r.judge.AheadOf(ctx, r.branch) // a teardown may change what the remote has
	}
	ran, err := r.teardown(ctx)
	if err != nil {
		return err
	}
	if ran {
		if err := r.check(ctx); err != nil {
			return err
		}
	}
	// Looking through /proc takes a while, and until the tree moves there is time for it.
	r.inside = sync.OnceValue(func() []guard.Process {
		if ran {
			return guard.Processes(r.path)
		}
		return r.busy.Scan().Inside(r.path)
	})
	go r.inside()
	if err := r.bury(ctx); err != nil {
		return err
	}
	if r.Top == r.path && r.verb != "hook" { // Claude Code moves away by itself
		note(r.out, "the current directory went with worktree %s: cd %s", r.name, refuse.Shell(r.Primary))
	}
	return nil
}

// belongs is the proof that the directory is this worktree: git lists it, it is at its
// real place in the store, and its own .git leads to the entry git has for it.
func (r *removal) belongs() error {
	admin, listed, err := git.AdminOf(r.Common, r.path)
	if err != nil {
		return err
	}
	s := standing{name: r.name, path: r.path}
	if real, err := filepath.EvalSymlinks(r.path); err != nil || real != r.path {
		return foreignPath(s, real)
	}
	if !store.Owned(r.path) {
		return anothers(s)
	}
	if !listed || !samePlace(git.Link(r.path), admin.Dir) {
		return notAWorktree(s)
	}
	id, _ := store.Identify(r.path)
	if r.id != (store.Identity{}) && r.id != id {
		return foreignPath(s, r.path)
	}
	r.admin, r.id = admin, id
	return nil
}

func anothers(s standing) error {
	return &refuse.Refusal{
		Code:    refuse.NotDeletable,
		Message: fmt.Sprintf("the directory %s of worktree %s belongs to another account", s.path, s.name),
		Meta:    about(s, refuse.Fact{Key: "reason", Value: "it belongs to another account"}),
		Resolve: "sudo chown -R \"$(id -u)\" " + refuse.Shell(s.path) + ", then agent-worktree remove " + s.name,
	}
}

// samePlace tells whether two paths are one directory.
func samePlace(a, b string) bool {
	if a == b {
		return true
	}
	ia, ok := store.Identify(a)
	ib, also := store.Identify(b)
	return ok && also && ia == ib
}

func foreignPath(s standing, at string) error {
	return &refuse.Refusal{
		Code:    refuse.ForeignPath,
		Message: fmt.Sprintf("what stands at %s is not worktree %s: it leads to %s or was put there since", s.path, s.name, at),
		Meta:    about(s, refuse.Fact{Key: "at", Value: at}),
		Resolve: "put the worktree's own directory back at " + refuse.Shell(s.path) + ", or move what is there away and run agent-worktree prune",
	}
}

// ask asks the guards about the worktree where it stands.
func (r *removal) ask(ctx context.Context) error {
	answer := r.guards(ctx, r.path)
	if err := answer.First(r.options.Force); err != nil {
		return err
	}
	if err := r.keepAnswer(ctx, answer); err != nil {
		return err
	}
	return r.checkKept(ctx)
}

func (r *removal) guards(ctx context.Context, at string) guard.Answer {
	return guard.Ask(ctx, r.repo, r.subjectAt(at))
}

func (r *removal) subjectAt(at string) guard.Subject {
	reason, locked := r.admin.LockReason()
	s := guard.Subject{
		Name: r.name, Path: r.path, At: at, Admin: r.admin.Dir, Locked: locked, Reason: reason,
		Others: r.others(), Force: r.options.Force,
	}
	if at == r.path && !r.options.Discard {
		s.Trash = r.store.Trash()
	}
	return s
}

// others are the paths of git's other worktrees inside this one.
func (r *removal) others() []string {
	admins, err := git.Admins(r.Common)
	if err != nil {
		return nil
	}
	var paths []string
	for _, a := range admins {
		if strings.HasPrefix(a.Path, r.path+"/") {
			paths = append(paths, a.Path)
		}
	}
	return paths
}

// keepAnswer takes branch and commit from the guards' answer. Past a damaged index
// git still tells HEAD.
func (r *removal) keepAnswer(ctx context.Context, answer guard.Answer) error {
	r.status, r.doing = answer.Status, answer.Rebasing
	if r.status.Head == "" && r.status.Branch == "" { // else the branch has no commit yet
		head, branch, err := r.repo.HeadOf(ctx, r.admin.Dir)
		if err != nil && !r.options.Force {
			return err
		}
		r.status.Head, r.status.Branch, r.unread = head, branch, true
	}
	r.branch, r.tip = r.status.Branch, r.status.Head
	return nil
}

// noteProcesses names the live processes that the teardown left inside.
func (r *removal) noteProcesses() {
	inside := r.inside()
	for i, p := range inside {
		if i == 3 {
			note(r.out, "so have %d more", len(inside)-i)
			return
		}
		note(r.out, "process %d (%s) still has its working directory in worktree %s, which moves to the trash under it", p.PID, p.Command, r.name)
	}
}

// settles tells whether the removal has a branch to settle.
func (r *removal) settles() bool {
	return !r.unmade && r.branch != "" && !r.options.KeepBranch
}

// unregister takes the worktree out of the ledger and frees its ports, unless its
// teardown is still owed.
func (r *removal) unregister(ctx context.Context) error {
	if r.failed != nil || r.unmade {
		return nil
	}
	if _, err := r.ports.Free(ctx, r.ledger.File(r.name), nil); err != nil {
		return err
	}
	return r.ledger.Remove(r.name)
}

// result is what became of the worktree and its branch.
func (r *removal) result() Removed {
	out := Removed{Name: r.name, Branch: r.branch, Recovery: r.trash.ID}
	switch {
	case r.unmade:
		out.Outcome = r.unmadeOutcome()
	case r.branch == "":
		out.Outcome, out.Head = detachedOutcome, r.tip
		if r.doing != "" {
			note(r.out, "branch %s, which was being rebased or bisected there, is kept", r.doing)
		}
	case r.options.KeepBranch:
		out.Outcome = keptOutcome
	default:
		r.branchFacts(&out)
	}
	return out
}

// branchFacts fills in what became of the branch, with the facts of that outcome alone.
func (r *removal) branchFacts(out *Removed) {
	v := r.verdict
	out.Outcome = v.Outcome
	switch v.Outcome {
	case "": // the branch itself was gone already
		out.Outcome = settle.Deleted
	case settle.Deleted:
		out.Landing, out.Into, out.RemoteBranch = v.Landing, v.Into, v.RemoteBranch
	case settle.Unmerged, settle.TracksDefault:
		out.Into = v.Into
		if v.Detail != "" {
			note(r.out, "branch %s is kept: %s", r.branch, v.Detail)
		}
	case settle.NoRemote, settle.NoDefaultBranch:
		out.Remote = v.Remote
	case settle.RemoteUnreachable:
		out.Remote, out.Detail = v.Remote, v.Detail
	case settle.RemoteBranchAhead:
		out.RemoteBranch = v.RemoteBranch
	case settle.RemoteBranchKept:
		out.RemoteBranch, out.Detail = v.RemoteBranch, v.Detail
	case settle.CheckedOut:
		out.At = v.At
	}
}
