package task

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// making tells whether the worktree was left half made.
func (s standing) making() bool { return s.entry != nil && s.entry.Setup == ledger.Making }

// choose decides which rows go, and why the others stay: the first reason that holds, in
// the order of 4.4 of the design.
func (s *sweep) choose(ctx context.Context) error {
	var open []*sweepRow
	busy := s.busy.Scan()
	for _, row := range s.rows {
		row.reason = s.standReason(row)
		if row.goes() && row.there && len(busy.Inside(row.path)) > 0 {
			row.reason = "in_use"
		}
		if row.goes() && row.state != Orphaned && row.state != Outside && !row.making() {
			open = append(open, row)
		}
	}
	if err := s.ask(ctx, open); err != nil {
		return err
	}
	if s.whole {
		if err := s.judgeQuiet(ctx, open); err != nil {
			return err
		}
	}
	for _, row := range open {
		if row.goes() {
			row.reason = s.conclude(row)
		}
	}
	if !s.whole {
		return nil
	}
	return s.checkArchives(ctx, open)
}

// standReason is why a worktree is kept by how it stands, before its branch is judged.
func (s *sweep) standReason(row *sweepRow) string {
	switch {
	case row.path == s.Top, row.name == s.spare && row.state != Outside:
		return "current"
	case s.landedOnly && (row.state == Orphaned || row.state == Outside || row.making()):
		return "spared" // a claim takes these over one by one, where it needs them
	case row.state == Outside && s.stray(row.standing):
		return ""
	case row.state == Outside, row.state == Corrupt, row.state == Legacy, row.state == Unmanaged, row.state == Unlisted:
		return string(row.state)
	case row.why == unreachable:
		return "unreachable"
	case row.why == moved:
		return "primary_moved"
	case s.lockHeld(row.name):
		return "pending"
	case row.tree.Locked && !row.makingLock():
		return "locked"
	}
	return ""
}

// makingLock tells whether the lock is that of a worktree being made, which is nobody's
// to respect but ours.
func (s standing) makingLock() bool {
	return s.making() && (s.tree.Reason == makingReason(s.name) || s.tree.Reason == "initializing")
}

func (s *sweep) lockHeld(name string) bool {
	busy, err := s.ledger.Busy(name)
	return busy || err != nil
}

// ask asks about the open rows: the forge, their branches and, where every reason
// counts, the guards, all at once.
func (s *sweep) ask(ctx context.Context, open []*sweepRow) error {
	if len(open) == 0 {
		return nil
	}
	group, gctx := errgroup.WithContext(ctx)
	if s.whole {
		group.Go(func() error { return s.weigh(gctx, open) })
	}
	group.Go(func() error { return s.judgeBranches(gctx, open) })
	return group.Wait()
}

// conclude is why an open row stays, "" when it goes.
func (s *sweep) conclude(row *sweepRow) string {
	named := slices.Contains(s.o.Yes, row.name)
	branch := s.branchReason(row)
	switch {
	case row.quiet && !named:
		return quietVerdict
	case row.answer != nil && len(row.answer.Refusals) > 0:
		return string(row.answer.Refusals[0].Code)
	case row.tree.Branch == "":
		return "detached"
	case row.quiet, branch == "":
		return ""
	case named && row.by == "":
		return "active"
	}
	return branch
}

// branchReason is why a worktree is kept by its branch, "" when that has landed.
func (s *sweep) branchReason(row *sweepRow) string {
	v := row.verdict
	landed := row.by != "" && (v.Landing != "" && v.HasUpstream || s.o.Merged)
	switch {
	case v.Outcome == settle.TracksDefault:
		return v.Outcome
	case !v.HasUpstream && !s.o.Merged:
		return "no_upstream"
	case landed && row.by == settle.ByForge:
		return ""
	case v.Outcome == settle.NoRemote, v.Outcome == settle.NoDefaultBranch, v.Outcome == settle.RemoteUnreachable:
		return v.Outcome
	case row.way.Fresh:
		return "no_own_commit"
	case landed:
		return ""
	}
	return "unmerged"
}

// reasons are the codes of refusals that are reasons of prune's as well.
var reasons = strings.Fields("dirty locked submodules nested_repository nested_worktree mount_inside not_deletable " +
	"teardown_failed archive_failed unreachable")

// reasonOf is the reason that a refusal met while acting comes to.
func reasonOf(err error) string {
	code, _ := codeOf(err)
	switch {
	case slices.Contains(reasons, code):
		return code
	case code == "not_a_worktree":
		return "unlisted"
	case code == "foreign_path":
		return "unmanaged"
	}
	return "git_refused"
}

// misplaced is why a worktree that git lists is not the one at its place; "" when it is.
func (s *sweep) misplaced(row *sweepRow) string {
	if real, err := filepath.EvalSymlinks(row.path); err != nil || real != row.path {
		return "unmanaged"
	}
	if !store.Owned(row.path) {
		return "not_deletable"
	}
	if _, listed := s.byPath[row.path]; !listed {
		return "unlisted"
	}
	return ""
}
