package task

import (
	"context"
	"io"

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

// Pruned is what a prune did. Rows and Quiet are nil where no option asks for them.
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
	s, err := p.newSweep(ctx, judge, o)
	if err != nil {
		return Pruned{}, err
	}
	defer s.batch.flush(p.Stderr)
	if err := s.run(ctx); err != nil {
		return Pruned{}, err
	}
	out := s.pruned()
	if !o.DryRun {
		if err := p.clearRest(ctx); err != nil {
			return out, err
		}
	}
	return out, failures(refuse.RemovalsFailed, "removed", s.batch.names, s.batch.errs)
}

// clearRest clears what belongs to no worktree any more: port blocks of entries that
// are gone, in any project, and refs that killed fetches left.
func (p *Project) clearRest(ctx context.Context) error {
	freed, err := p.ports.FreeGone(ctx, entryGone)
	for _, f := range freed {
		note(p.Stderr, "port block %s freed from %s, which is gone", f.Block, f.Entry)
	}
	if err != nil {
		return err
	}
	return settle.ClearDead(ctx, p.repo)
}

// A sweep is one pass over the project's worktrees.
type sweep struct {
	*Project
	judge *settle.Judge
	o     PruneOptions
	rows  []*sweepRow
	batch *batch // of the rows, by name
	spare string // a worktree that is left alone, whatever it looks like

	landedOnly bool // take no gone and no half-made ones
}

// A sweepRow is one worktree in a sweep.
type sweepRow struct {
	standing
	verdict settle.Verdict
	removal *removal
	reason  string // why it is kept, "" when it goes
	by      string // how its branch landed
	done    bool
}

func (p *Project) newSweep(ctx context.Context, judge *settle.Judge, o PruneOptions) (*sweep, error) {
	standings, err := p.survey(ctx)
	if err != nil {
		return nil, err
	}
	s := &sweep{Project: p, judge: judge, o: o}
	names := make([]string, len(standings))
	for i, st := range standings {
		names[i] = st.name
		s.rows = append(s.rows, &sweepRow{standing: st})
	}
	s.batch, err = newBatch(names)
	return s, err
}

// run judges every row, takes away those that go, settles their branches together and
// unregisters them.
func (s *sweep) run(ctx context.Context) error {
	defer s.end()
	if err := s.choose(ctx); err != nil {
		return err
	}
	if s.o.DryRun {
		return s.weigh(ctx)
	}
	s.batch.run(func(i int, out io.Writer) error { return s.take(ctx, s.rows[i], out) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.settleAll(ctx, s.judge, s.removals(), RemoveOptions{}); err != nil {
		return err
	}
	for i, row := range s.rows {
		if row.removal != nil && s.batch.errs[i] == nil {
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

// tell notes what became of a worktree that went.
func (s *sweep) tell(row *sweepRow) {
	r := row.removal
	switch {
	case r.unmade || !row.done:
		return
	case row.state != Orphaned:
		note(r.out, "worktree %s removed, its branch landed", row.name)
	}
	r.noteBranch()
}

// take takes one row away, up to the settling of its branch. A worktree that another
// process works on is left for another time.
func (s *sweep) take(ctx context.Context, row *sweepRow, out io.Writer) (err error) {
	if row.reason != "" {
		return nil
	}
	j := &job{Project: s.Project, name: row.name, out: out, judge: s.judge}
	switch {
	case row.why == copied:
		row.done, err = true, s.dropCopy(ctx, j)
	case row.state == Orphaned:
		row.removal, err = s.takeGone(ctx, j, "prune")
	default:
		row.removal, err = s.takeLanded(ctx, j, row)
	}
	if err == nil && row.removal == nil && !row.done && row.reason == "" {
		row.reason = "pending"
	}
	return err
}

// takeLanded removes a worktree whose branch landed, or undoes one half made.
func (s *sweep) takeLanded(ctx context.Context, j *job, row *sweepRow) (*removal, error) {
	lock, err := s.ledger.TryWorktree(j.name)
	if err != nil || lock == nil {
		return nil, err
	}
	j.lock = lock
	r, err := s.takeHeld(ctx, j, row)
	if err != nil || r == nil {
		j.end()
		return nil, err
	}
	return r, nil
}

// takeHeld is takeLanded once the lock is held: the row was judged without it, so what
// was judged is looked at again.
func (s *sweep) takeHeld(ctx context.Context, j *job, row *sweepRow) (*removal, error) {
	if err := j.recover(ctx); err != nil {
		return nil, err
	}
	find, err := s.admins()
	if err != nil {
		return nil, err
	}
	st := s.stand(j.name, find)
	if st.entry == nil || st.state != row.state || st.entry.Setup != row.entry.Setup {
		return nil, nil
	}
	j.entry = st.entry
	r := &removal{job: j, path: st.path, verb: "prune"}
	if row.making() {
		return r, r.undoMaking(ctx)
	}
	if err := r.check(ctx); err != nil {
		row.reason, _ = codeOf(err)
		return nil, nil
	}
	if r.branch != row.verdict.Branch || r.tip != row.verdict.Tip {
		row.reason = "unmerged"
		return nil, nil
	}
	return r, r.away(ctx)
}
