package settle

import (
	"context"
	"errors"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
)

// Settle deletes what the verdicts say would be deleted, and gives what became of each:
// first the remote branches, all of one remote in one push, each only while it is where
// it was judged; then the branches here whose remote branch is gone, each only at its
// judged tip and only while no worktree holds it, in one transaction. Whatever changed
// since the judgement keeps the branch. The settings of a deleted branch go with it.
// With an error the rows are what became of each all the same.
func (j *Judge) Settle(ctx context.Context, verdicts []Verdict, o Options) ([]Verdict, error) {
	rows, err := j.Restrict(ctx, verdicts, o)
	if err != nil {
		return nil, err
	}
	if err := j.recheck(ctx, rows, false); err != nil {
		return undone(rows), err
	}
	pushed, err := j.dropRemote(ctx, rows)
	if err != nil {
		return undone(rows), err
	}
	if pushed {
		// A push takes its time, and somebody may have gone on here meanwhile.
		if err := j.recheck(ctx, rows, true); err != nil {
			return undone(rows), err
		}
	}
	return rows, j.dropLocal(ctx, rows)
}

// going are the rows that are still to be deleted.
func going(rows []Verdict) []*Verdict {
	var list []*Verdict
	for i := range rows {
		if rows[i].Outcome == Deleted {
			list = append(list, &rows[i])
		}
	}
	return list
}

// undone takes the outcome from the rows whose deletion did not come about.
func undone(rows []Verdict) []Verdict {
	for _, v := range going(rows) {
		v.Outcome = ""
	}
	return rows
}

// recheck keeps the branches that moved, or that a worktree took up. pushed is that
// their remote branches are gone already.
func (j *Judge) recheck(ctx context.Context, rows []Verdict, pushed bool) error {
	list := going(rows)
	if len(list) == 0 {
		return nil
	}
	now, err := j.local(ctx, rows)
	if err != nil {
		return err
	}
	for _, v := range list {
		tip := now.tip(v.Branch)
		switch at := now.holder(*v); {
		case tip != "" && tip != v.Tip:
			v.moved()
		case at != "":
			v.Outcome, v.At = CheckedOut, at
		}
		if v.Outcome != Deleted && !pushed {
			v.RemoteBranch = ""
		}
	}
	return nil
}

// moved keeps a branch that is not at its judged tip any more.
func (v *Verdict) moved() {
	v.Outcome, v.Landing, v.Match, v.Detail = Unmerged, "", "", "it moved while it was being settled"
}

// dropLocal deletes the branches that are left, and then their settings: a later branch
// of that name must not begin with an upstream.
func (j *Judge) dropLocal(ctx context.Context, rows []Verdict) error {
	list := going(rows)
	if len(list) == 0 {
		return nil
	}
	err := j.drop(ctx, list)
	var dropped []string
	for _, v := range going(rows) {
		dropped = append(dropped, v.Branch)
	}
	return errors.Join(err, j.repo.ForgetBranches(ctx, dropped...))
}

// drop deletes all of them at once, or, where one is in the way of all, one by one.
func (j *Judge) drop(ctx context.Context, list []*Verdict) error {
	branches := make([]git.Branch, 0, len(list))
	for _, v := range list {
		branches = append(branches, git.Branch{Name: v.Branch, Tip: v.Tip})
	}
	if j.repo.DropBranches(ctx, branches...) == nil {
		return nil
	}
	var errs error
	for _, v := range list {
		errs = errors.Join(errs, j.dropOne(ctx, v))
	}
	return errs
}

// dropOne tries for about a second, since other processes lock refs for moments.
func (j *Judge) dropOne(ctx context.Context, v *Verdict) error {
	var err error
	for pause := 5 * time.Millisecond; pause < time.Second; pause *= 2 {
		found, listErr := j.repo.Branches(ctx, v.Branch)
		if listErr != nil {
			v.Outcome = ""
			return listErr
		}
		switch tip := found[v.Branch].Tip; tip {
		case "":
			return nil // somebody else was first
		case v.Tip:
		default:
			v.moved()
			return nil
		}
		if err = j.repo.DropBranches(ctx, git.Branch{Name: v.Branch, Tip: v.Tip}); err == nil {
			return nil
		}
		if !wait(ctx, pause) {
			break
		}
	}
	v.Outcome = ""
	return err
}

func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
