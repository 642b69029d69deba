package task

import (
	"context"
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// making tells whether the worktree was left half made.
func (s standing) making() bool { return s.entry != nil && s.entry.Setup == ledger.Making }

// choose decides which rows go, and why the others stay.
func (s *sweep) choose(ctx context.Context) error {
	var open []*sweepRow
	for _, row := range s.rows {
		row.reason = s.standReason(row)
		if row.reason == "" && row.state != Orphaned && !row.making() {
			open = append(open, row)
		}
	}
	if err := s.judgeLanded(ctx, open); err != nil {
		return err
	}
	busy := guard.Scan()
	for _, row := range open {
		if row.reason == "" && len(busy.Inside(row.path)) > 0 {
			row.reason = "in_use"
		}
	}
	return nil
}

// standReason is why a worktree is kept by how it stands, before its branch is judged.
func (s *sweep) standReason(row *sweepRow) string {
	switch {
	case row.path == s.Top, row.name == s.spare:
		return "current"
	case s.landedOnly && (row.state == Orphaned || row.making()):
		return "spared" // a claim takes these over one by one, where it needs them
	case row.state == Corrupt, row.state == Legacy, row.state == Unmanaged, row.state == Unlisted:
		return string(row.state)
	case row.why == unreachable:
		return "unreachable"
	case row.why == moved:
		return "primary_moved"
	case s.lockHeld(row.name):
		return "pending"
	case row.tree.Locked && !row.making():
		return "locked"
	}
	return ""
}

func (s *sweep) lockHeld(name string) bool {
	busy, err := s.ledger.Busy(name)
	return busy || err != nil
}

// judgeLanded judges the branches of the rows in one batch. A row whose branch has not
// landed, or has no commit of its own, gets its reason.
func (s *sweep) judgeLanded(ctx context.Context, rows []*sweepRow) error {
	var subjects []settle.Subject
	var of []*sweepRow
	for _, row := range rows {
		if row.tree.Branch == "" {
			row.reason = "detached"
			continue
		}
		subjects = append(subjects, settle.Subject{Branch: row.tree.Short(), Tip: row.tree.Head, Path: row.path})
		of = append(of, row)
	}
	verdicts, err := s.judge.Judge(ctx, subjects)
	if err != nil {
		return err
	}
	for i, row := range of {
		row.verdict = verdicts[i]
		if row.reason, err = s.landedReason(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// landedReason is why a worktree is kept by its branch, "" when that has landed.
func (s *sweep) landedReason(ctx context.Context, row *sweepRow) (string, error) {
	v := row.verdict
	switch {
	case v.Outcome == settle.TracksDefault, v.Outcome == settle.NoRemote && v.HasUpstream,
		v.Outcome == settle.NoDefaultBranch && v.HasUpstream, v.Outcome == settle.RemoteUnreachable && v.HasUpstream:
		return v.Outcome, nil
	case !v.HasUpstream:
		return "no_upstream", nil
	case v.Landing == "":
		return "unmerged", nil
	}
	row.by = v.Landing
	subject := settle.Subject{Branch: v.Branch, Tip: v.Tip, Path: row.path}
	own, err := s.judge.OwnCommit(ctx, subject, row.entry.Base, row.entry.Created, s.headLog(row.path), v.IntoCommit)
	if err != nil || own {
		return "", err
	}
	return "no_own_commit", nil
}

// headLog is the reflog of the worktree's HEAD.
func (p *Project) headLog(path string) string {
	admin, listed, err := git.AdminOf(p.Common, path)
	if err != nil || !listed {
		return ""
	}
	return filepath.Join(admin.Dir, "logs", "HEAD")
}

// dropCopy drops what a copied clone has of the original's worktree: its ledger entry
// and git's admin directory. The directory, its claims and its teardown are the
// original's.
func (s *sweep) dropCopy(ctx context.Context, j *job) error {
	lock, err := s.ledger.TryWorktree(j.name)
	if err != nil || lock == nil {
		return err
	}
	j.lock = lock
	defer j.end()
	entry, err := s.ledger.Read(j.name)
	if err != nil || entry == nil || !s.isCopyOf(entry) {
		return err
	}
	admin, listed, err := git.AdminOf(s.Common, entry.Path)
	if err != nil {
		return err
	}
	if listed {
		repository, err := s.ledger.Repository(ctx)
		if err != nil {
			return err
		}
		err = os.RemoveAll(admin.Dir)
		repository.Unlock()
		if err != nil {
			return err
		}
	}
	return s.ledger.Remove(j.name)
}

// isCopyOf tells whether this clone is another directory than the one the entry names,
// and not the same by another path.
func (p *Project) isCopyOf(e *ledger.Entry) bool {
	theirs, ok := store.Identify(filepath.Join(e.Primary, ".git"))
	mine, also := store.Identify(p.Common)
	return p.foreignPrimary(e) && ok && also && theirs != mine
}

// weigh is what a dry run adds to the choice: the guards of those that would go.
func (s *sweep) weigh(ctx context.Context) error {
	for _, row := range s.rows {
		if row.reason != "" || row.state == Orphaned || row.making() {
			continue
		}
		r := &removal{job: &job{Project: s.Project, name: row.name, entry: row.entry, out: s.Stderr}, path: row.path}
		if err := r.check(ctx); err != nil {
			row.reason, _ = codeOf(err)
		}
	}
	return nil
}

// sweepForPorts removes the worktrees whose branch landed, so that their port blocks
// come free, and tells whether any went. This worktree and the checkout the command
// runs in are spared.
func (j *job) sweepForPorts(ctx context.Context) bool {
	s, err := j.newSweep(ctx, j.judge, PruneOptions{})
	if err != nil {
		return false
	}
	s.spare, s.landedOnly = j.name, true
	defer s.batch.flush(j.out)
	if err := s.run(ctx); err != nil {
		return false
	}
	any := false
	for i, row := range s.rows {
		any = any || row.done
		if s.batch.errs[i] != nil {
			note(s.batch.outs[i], "worktree %s not removed, though its branch landed: %s", row.name, s.batch.errs[i])
		}
	}
	return any
}

// pruned is the result of the sweep.
func (s *sweep) pruned() Pruned {
	out := Pruned{}
	for _, row := range s.rows {
		if row.done {
			out.Removed++
		}
	}
	return out
}
