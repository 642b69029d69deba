package task

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/settle"
)

// judgeBranches judges the branches of the rows in one batch.
func (s *sweep) judgeBranches(ctx context.Context, rows []*sweepRow) error {
	rows, err := s.worthJudging(ctx, rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	subjects := make([]settle.Subject, len(rows))
	for i, row := range rows {
		subjects[i] = settle.Subject{Branch: row.tree.Short(), Tip: row.tree.Head, Path: row.path}
	}
	var verdicts []settle.Verdict
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.askForge(gctx) })
	group.Go(func() (err error) { verdicts, err = s.judge.Judge(gctx, subjects); return err })
	if err := group.Wait(); err != nil {
		return err
	}
	for i, row := range rows {
		row.verdict, row.judged = verdicts[i], true
	}
	if s.whole || s.o.Merged {
		return s.judgeWays(ctx, rows)
	}
	return s.judgeOwn(ctx, rows)
}

// worthJudging are the rows whose branch decides anything: a plain prune leaves alone
// what has no upstream, and then no remote need be reached for it.
func (s *sweep) worthJudging(ctx context.Context, rows []*sweepRow) ([]*sweepRow, error) {
	var list []*sweepRow
	for _, row := range rows {
		if row.tree.Branch == "" {
			continue
		}
		if !s.whole && !s.o.Merged {
			has, err := s.judge.HasUpstream(ctx, row.tree.Short())
			if err != nil {
				return nil, err
			}
			if !has {
				continue
			}
		}
		list = append(list, row)
	}
	return list, nil
}

// askForge asks the forge, where the options reach for it. That there is none is said
// once, and the rest decides.
func (s *sweep) askForge(ctx context.Context) error {
	if s.offline || s.asked || !s.whole && !s.o.Merged {
		return nil
	}
	s.asked = true
	pulls, err := s.judge.Pulls(ctx, s.Env)
	var none *settle.NoForge
	if errors.As(err, &none) {
		note(s.Stderr, "no answer from the forge, so branches are judged without it: %s", none.Why)
		return nil
	}
	s.pulls = pulls
	return err
}

// judgeWays tells how each branch landed, by the forge, by ancestry or by content.
func (s *sweep) judgeWays(ctx context.Context, rows []*sweepRow) error {
	claims := make([]settle.Claim, len(rows))
	for i, row := range rows {
		claims[i] = s.claim(row)
	}
	ways, err := s.judge.Ways(ctx, claims, s.pulls)
	if err != nil {
		return err
	}
	for i, row := range rows {
		row.way, row.by = ways[i], ways[i].By
	}
	return nil
}

// judgeOwn tells of the branches that landed whether any of it was made here.
func (s *sweep) judgeOwn(ctx context.Context, rows []*sweepRow) error {
	landed := slices.DeleteFunc(slices.Clone(rows), func(r *sweepRow) bool { return r.verdict.Landing == "" })
	claims := make([]settle.Claim, len(landed))
	for i, row := range landed {
		claims[i] = s.claim(row)
	}
	own, err := s.judge.OwnCommits(ctx, claims)
	if err != nil {
		return err
	}
	for i, row := range landed {
		if row.way.Fresh = !own[i]; own[i] {
			row.by = row.verdict.Landing
		}
	}
	return nil
}

// claim is what is judged of the row's branch once its verdict is there.
func (s *sweep) claim(row *sweepRow) settle.Claim {
	c := settle.Claim{
		Subject: settle.Subject{Branch: row.tree.Short(), Tip: row.tree.Head, Path: row.path},
		Into:    row.verdict.IntoCommit, Log: s.headLog(row.path),
	}
	c.Base, c.Created = row.cutFrom()
	return c
}

// cutFrom is the commit that the branch was cut from, "" when this tool did not cut it,
// and when. Where that was not recorded, now: then the reflogs alone decide.
func (r *sweepRow) cutFrom() (base string, created time.Time) {
	if r.entry == nil || r.entry.Created.IsZero() {
		return "", time.Now()
	}
	return r.entry.Base, r.entry.Created
}

// judgeLanded tells only how the branches of the rows landed, which needs less than what
// would become of them.
func (s *sweep) judgeLanded(ctx context.Context, rows []*sweepRow) error {
	if len(rows) == 0 {
		return nil
	}
	for _, row := range rows {
		var err error
		if row.verdict.IntoCommit, err = s.judge.Into(ctx, row.tree.Short()); err != nil {
			return err
		}
		row.judged = true
	}
	if err := s.askForge(ctx); err != nil {
		return err
	}
	return s.judgeWays(ctx, rows)
}

// headLog is the reflog of the worktree's HEAD.
func (p *Project) headLog(path string) string {
	if dir := git.Link(path); dir != "" {
		return filepath.Join(dir, "logs", "HEAD")
	}
	return ""
}

// foresee is what a dry run adds to the choice: what would become of the branches of
// the rows that would go.
func (s *sweep) foresee(ctx context.Context) error {
	var rows []*sweepRow
	for _, row := range s.rows {
		switch {
		case !row.goes(), row.why == copied, row.state == Outside:
		case row.making():
			if row.outcome = keptOutcome; row.entry.Cut {
				row.outcome = settle.Deleted
			}
		case row.judged:
			row.outcome = row.verdict.Outcome
		case row.listed && row.tree.Branch == "":
			row.outcome = detachedOutcome
		default:
			rows = append(rows, row)
		}
	}
	return s.foreseeGone(ctx, rows)
}

// foreseeGone judges the branches of the worktrees whose directory is gone. One that
// git does not list, and whose branch is gone too or in use elsewhere, has none to
// settle.
func (s *sweep) foreseeGone(ctx context.Context, rows []*sweepRow) error {
	var names []string
	for _, row := range rows {
		names = append(names, row.branchName())
	}
	branches, err := s.repo.Branches(ctx, names...)
	if err != nil {
		return err
	}
	var with []*sweepRow
	var subjects []settle.Subject
	for i, row := range rows {
		b := branches[names[i]]
		if row.listed || b.Tip != "" && b.Worktree == "" {
			with = append(with, row)
			subjects = append(subjects, settle.Subject{Branch: names[i], Tip: row.tree.Head, Path: row.path})
		}
	}
	if len(with) == 0 {
		return nil
	}
	verdicts, err := s.judge.Judge(ctx, subjects)
	for i, v := range verdicts {
		with[i].outcome = v.Outcome
	}
	return err
}
