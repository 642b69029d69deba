// Package guard decides whether a worktree may go. Every verb that removes one, or
// says what a removal would do, asks here, so that they cannot differ.
//
// It reads only, prints nothing, starts no process but git through lib/git, and
// follows no link inside a worktree.
package guard

import (
	"context"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// A Subject is the worktree that is asked about.
type Subject struct {
	Name   string
	Path   string   // its path as users know it
	At     string   // where the tree stands now: Path, or its place in the trash; "" is Path
	Trash  string   // the directory it would be renamed into; "" when it would not be
	Admin  string   // git's admin directory of it; "" to go by the .git file at At
	Locked bool     // by `git worktree lock`
	Reason string   // of the lock
	Others []string // paths of all other worktrees that git lists
	Force  bool     // --force was given, so no act offers it
}

// An Answer is what was found. One that refuses nothing is a worktree that may go.
type Answer struct {
	// Refusals are all that stand, in the order in which a verb names them: locked,
	// dirty, submodules, nested_repository, nested_worktree, mount_inside,
	// not_deletable. There is at most one of each.
	Refusals []*refuse.Refusal

	Status    git.Status // zero when git could not tell, and after AskForced
	Failed    error      // why git could not tell whether the tree is clean
	Hidden    []string   // paths with edits that no status shows
	Unread    []string   // ignored directories, below the tree, that may not be read
	Head      string     // commit, "" before the first
	Operation string     // rebase, merge, cherry-pick, revert, am, bisect or ""
	Rebasing  string     // short name of the branch that is being rebased or bisected

	links []string // paths of submodules in the index
}

// First is the first refusal that stands, or nil. With force only those count that
// --force does not override.
func (a Answer) First(force bool) error {
	for _, r := range a.Refusals {
		if !force || !Forced(r.Code) {
			return r
		}
	}
	return nil
}

// Clean tells whether the tree is, by the dirty guard's test.
func (a Answer) Clean() bool {
	for _, r := range a.Refusals {
		if r.Code == refuse.Dirty {
			return false
		}
	}
	return true
}

// Forced tells whether --force overrides the guard with that code.
func Forced(code refuse.Code) bool {
	switch code {
	case refuse.Dirty, refuse.Submodules, refuse.NestedRepository:
		return true
	}
	return false
}

// Ask asks all guards.
func Ask(ctx context.Context, repo *git.Repo, s Subject) Answer {
	s = s.whole()
	mounts := mountsUnder(s.At)
	walked := make(chan found, 1)
	go func() { walked <- walk(ctx, s.At, mounts) }()

	var a Answer
	flagged := a.look(ctx, repo, s)
	f := <-walked
	nested := a.judgeNested(ctx, repo, s, f, flagged)

	a.add(locked(s))
	inside := submodules(s, flagged)
	if inside == nil || !a.onlyInSubmodules() {
		// Otherwise the refusal of submodules has the act that helps.
		a.add(a.dirty(s))
	}
	a.add(inside)
	a.add(nested)
	a.addFixed(repo, s, mounts)
	return a
}

// AskForced asks the guards that --force does not override. It starts no git.
func AskForced(_ context.Context, repo *git.Repo, s Subject) Answer {
	s = s.whole()
	a := Answer{}
	a.Operation, a.Rebasing = operation(s.Admin)
	a.add(locked(s))
	a.addFixed(repo, s, mountsUnder(s.At))
	return a
}

// AskTree asks only whether the tree is clean: the dirty guard, without a look for
// directories that git may not read.
func AskTree(ctx context.Context, repo *git.Repo, s Subject) Answer {
	s = s.whole()
	var a Answer
	a.look(ctx, repo, s)
	a.add(a.dirty(s))
	return a
}

// addFixed asks the guards that nothing overrides and that come last.
func (a *Answer) addFixed(repo *git.Repo, s Subject, mounts []string) {
	a.add(nestedWorktree(repo.Primary, s))
	a.add(mountInside(s, mounts))
	a.add(notDeletable(s))
}

func (a *Answer) add(r *refuse.Refusal) {
	if r != nil {
		a.Refusals = append(a.Refusals, r)
	}
}

// whole fills in what the caller left to us.
func (s Subject) whole() Subject {
	if s.At == "" {
		s.At = s.Path
	}
	if s.Admin == "" {
		s.Admin = git.Link(s.At)
	}
	return s
}

// moved tells whether the tree has already been renamed away.
func (s Subject) moved() bool { return s.At != s.Path }

// meta begins a refusal's meta, which names the worktree and its place.
func (s Subject) meta(more ...refuse.Fact) refuse.Meta {
	return append(refuse.Meta{{Key: "name", Value: s.Name}, {Key: "path", Value: s.Path}}, more...)
}

// orForce adds to an act the other one there is, unless it was already taken.
func (s Subject) orForce(act string) string {
	if s.Force {
		return act
	}
	return act + ", or run agent-worktree remove --force " + refuse.Shell(s.Name)
}
