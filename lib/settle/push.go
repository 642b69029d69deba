package settle

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// dropRemote deletes the remote branches of the rows that go, one push a remote, and
// tells whether there was any. What a remote does not do is that row's outcome.
func (j *Judge) dropRemote(ctx context.Context, rows []Verdict) (bool, error) {
	byRemote := map[string][]*Verdict{}
	for _, v := range going(rows) {
		if v.RemoteBranch != "" {
			byRemote[v.Remote] = append(byRemote[v.Remote], v)
		}
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for remote, list := range byRemote {
		group.Go(func() error { return j.push(gctx, remote, list) })
	}
	return len(byRemote) > 0, group.Wait()
}

func (j *Judge) push(ctx context.Context, remote string, list []*Verdict) error {
	said, err := j.repo.Delete(ctx, remote, deletions(list))
	var failed *git.Error
	if errors.As(err, &failed) {
		for _, v := range list {
			v.kept(failed.Detail())
		}
		return nil
	}
	if err != nil {
		return err
	}
	var stale []*Verdict
	for _, v := range list {
		switch row, ok := said[v.facts.ref]; {
		case !ok:
			v.kept("the remote did not say what became of it")
		case row.Gone():
		case row.Stale():
			stale = append(stale, v)
		default:
			v.kept(refuse.Visible(row.Why))
		}
	}
	return j.again(ctx, remote, stale)
}

// deletions are what to push, each remote branch once: two branches here may share it,
// and are then at the commit it is at, or ahead of it.
func deletions(list []*Verdict) []git.Deletion {
	seen := map[string]bool{}
	var all []git.Deletion
	for _, v := range list {
		if !seen[v.facts.ref] {
			seen[v.facts.ref] = true
			all = append(all, git.Deletion{Ref: v.facts.ref, Lease: v.facts.id})
		}
	}
	return all
}

func (v *Verdict) kept(why string) {
	v.Outcome, v.Detail = RemoteBranchKept, why
}

// again reads the remote's branches once more for those that were not where they had
// been judged: one that is gone counts as deleted, one that moved is ahead.
func (j *Judge) again(ctx context.Context, remote string, stale []*Verdict) error {
	if len(stale) == 0 {
		return nil
	}
	now, err := j.repo.Remote(ctx, remote)
	if unlessGit(err) != nil {
		return err
	}
	for _, v := range stale {
		if err != nil || now.Heads[v.facts.ref] != "" {
			v.Outcome = RemoteBranchAhead
		}
	}
	return nil
}
