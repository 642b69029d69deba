package task

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
)

// PruneOptions say what a prune takes and tells.
type PruneOptions struct {
	DryRun bool     // judge only
	Full   bool     // give the rows
	Merged bool     // also branches without an upstream that landed
	Yes    []string // quiet worktrees to remove
}

// hasRows tells whether the result has a row for every worktree.
func (o PruneOptions) hasRows() bool { return o.DryRun || o.Full || len(o.Yes) > 0 }

// Pruned is what a prune did, or under DryRun would do. Counts and Rows are set with
// HasRows, and Quiet where there is a quiet worktree as well.
type Pruned struct {
	HasRows bool
	Counts  []Count
	Rows    *refuse.Table
	Quiet   *refuse.Table
	Removed int
}

// Prune clears the worktrees whose directory is gone and removes those whose branch has
// landed. One that fails is kept and the rest goes on; it then refuses as
// removals_failed, naming each in name order.
func (p *Project) Prune(ctx context.Context, o PruneOptions) (Pruned, error) {
	if err := p.store.Check(p.store.Dir()); err != nil {
		return Pruned{}, err
	}
	judge := settle.New(p.repo)
	defer judge.Close(context.WithoutCancel(ctx))
	if err := judge.Check(ctx); err != nil {
		return Pruned{}, err
	}
	if !o.DryRun {
		if err := p.recoverAll(ctx); err != nil {
			return Pruned{}, err
		}
	}
	s, err := p.newSweep(ctx, judge, o)
	if err != nil {
		return Pruned{}, err
	}
	defer s.batch.flush(p.Stderr)
	kept, err := s.windows(ctx)
	if err != nil {
		return Pruned{}, err
	}
	if err := s.checkNamed(); err != nil {
		return Pruned{}, err
	}
	if err := s.run(ctx); err != nil {
		return Pruned{}, err
	}
	s.noteUnreachable()
	out, err := s.pruned(ctx)
	if err == nil && !o.DryRun {
		err = p.clearRest(ctx, kept)
	}
	if err != nil {
		return out, err
	}
	return out, failures(refuse.RemovalsFailed, "removed", "agent-worktree prune", s.batch.names, s.batch.errs)
}

// noteUnreachable names each remote that could not be asked: the worktrees whose branch
// it would have judged are kept.
func (s *sweep) noteUnreachable() {
	said := map[string]bool{}
	for _, row := range s.rows {
		v := row.verdict
		if v.Outcome == settle.RemoteUnreachable && !said[v.Remote] {
			said[v.Remote] = true
			note(s.Stderr, "remote %s cannot be reached, so what has landed there is kept: %s", v.Remote, v.Detail)
		}
	}
}

// checkNamed refuses a name given to --yes that is none of the store's.
func (s *sweep) checkNamed() error {
	known := map[string]bool{}
	for _, row := range s.rows {
		known[row.name] = known[row.name] || row.state != Outside
	}
	for _, name := range s.o.Yes {
		if !known[name] {
			return &refuse.Refusal{
				Code:    refuse.NotRegistered,
				Message: fmt.Sprintf("no worktree %s is in the store, so nothing was removed", refuse.Visible(name)),
				Meta:    refuse.Meta{{Key: "name", Value: name}},
				Resolve: "agent-worktree prune --dry-run lists the worktrees that --yes may name",
			}
		}
	}
	return nil
}

// clearRest clears what belongs to no worktree any more: port blocks of entries that
// are gone, in any project, what the trash kept for long enough, and lock files
// and refs that killed processes left.
func (p *Project) clearRest(ctx context.Context, kept time.Duration) error {
	freed, err := p.ports.FreeGone(ctx, p.entryGone)
	for _, f := range freed {
		note(p.Stderr, "port block %s freed from %s, which is gone", f.Block, f.Entry)
	}
	if err != nil {
		return err
	}
	if err := p.clearTrash(ctx, kept); err != nil {
		return err
	}
	if err := p.ledger.Sweep(); err != nil {
		return err
	}
	return settle.ClearDead(ctx, p.repo)
}

// run judges every row, takes away those that go, settles their branches together and
// unregisters them.
func (s *sweep) run(ctx context.Context) error {
	defer s.end()
	if err := s.choose(ctx); err != nil {
		return err
	}
	if s.o.DryRun {
		return s.foresee(ctx)
	}
	s.batch.runSome(func(i int) bool { return s.rows[i].goes() },
		func(i int, out io.Writer) error { return s.take(ctx, s.rows[i], out) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.settleAll(ctx, s.judge, s.removals(), RemoveOptions{})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, row := range s.rows {
		if row.removal != nil && s.batch.errs[i] == nil {
			if s.batch.errs[i] = row.removal.unsettled; s.batch.errs[i] != nil {
				continue
			}
			s.batch.errs[i] = row.removal.unregister(ctx)
			row.done = s.batch.errs[i] == nil
			s.tell(row)
		}
	}
	return nil
}

func (s *sweep) removals() []*removal {
	list := make([]*removal, len(s.rows))
	for i, row := range s.rows {
		list[i] = row.removal
	}
	return list
}

func (s *sweep) end() { endAll(s.removals()) }

// tell notes what became of a worktree that went, and keeps it for its row.
func (s *sweep) tell(row *sweepRow) {
	r := row.removal
	switch {
	case !row.done:
		return
	case r.unmade:
		row.outcome = r.unmadeOutcome()
		return
	case row.quiet:
		note(r.out, "worktree %s removed, quiet since %s", row.name, row.since())
	case row.state != Orphaned && row.state != Outside:
		note(r.out, "worktree %s removed, its branch landed", row.name)
	}
	what := r.result()
	if r.branch != "" {
		note(r.out, "%s", what)
	}
	if r.branch != "" || row.listed {
		row.outcome = what.Outcome
	}
}

// unmadeOutcome is what became of the branch of one that was never finished.
func (r *removal) unmadeOutcome() string {
	if r.uncutIt {
		return settle.Deleted
	}
	return keptOutcome
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
