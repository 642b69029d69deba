package task

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/settle"
)

// A sweep is one pass over the project's worktrees: prune's, and in part that of ls,
// which shows what prune would say.
type sweep struct {
	*Project
	judge *settle.Judge
	o     PruneOptions
	rows  []*sweepRow
	batch *batch // of the rows, by name
	spare string // a worktree that is left alone, whatever it looks like

	landedOnly bool // take no gone and no half-made ones
	whole      bool // every row gets all that would keep it, not just what decides
	offline    bool // ask no forge

	asked  bool                 // the forge was
	pulls  *settle.Pulls        // its answer, nil for none
	window time.Duration        // how long a quiet worktree has been left alone
	byPath map[string]git.Admin // git's own directories, by path; once they are read
	real   map[string]string    // those paths with their links resolved
}

// A sweepRow is one worktree in a sweep.
type sweepRow struct {
	standing
	verdict settle.Verdict // of its branch
	way     settle.Way     // how it landed by the wider judgement
	judged  bool           // both were asked for
	removal *removal
	answer  *guard.Answer // of the guards, once they are asked
	reason  string        // why it is kept, "" when it goes
	quiet   bool          // nobody worked in it lately, and its branch has not landed
	active  time.Time     // when somebody last did, where that was asked
	by      string        // how its branch landed
	outcome string        // what became of its branch, or would
	done    bool
}

// goes tells whether nothing keeps the row.
func (r *sweepRow) goes() bool { return r.reason == "" }

func (p *Project) newSweep(ctx context.Context, judge *settle.Judge, o PruneOptions) (*sweep, error) {
	standings, list, err := p.standings(ctx)
	if err != nil {
		return nil, err
	}
	others := p.outside(list, standings)
	s := &sweep{Project: p, judge: judge, o: o, whole: o.hasRows()}
	if !s.whole {
		others = slices.DeleteFunc(others, func(st standing) bool { return !p.stray(st) })
	}
	standings = append(standings, others...)
	byName(standings)
	names := make([]string, len(standings))
	for i, st := range standings {
		names[i] = st.name
		s.rows = append(s.rows, &sweepRow{standing: st})
	}
	s.batch = newBatch(names)
	return s, nil
}

// take takes one row that goes away, up to the settling of its branch. A worktree that another
// process works on is left for another time.
func (s *sweep) take(ctx context.Context, row *sweepRow, out io.Writer) (err error) {
	j := &job{Project: s.Project, name: row.name, out: out, judge: s.judge}
	switch {
	case row.state == Outside:
		row.done, err = s.dropStray(ctx, j, row.path)
	case row.why == copied:
		row.done, err = true, s.dropCopy(ctx, j)
	case row.state == Orphaned:
		row.removal, err = s.takeGone(ctx, j, "prune")
	default:
		row.removal, err = s.takeLanded(ctx, j, row)
	}
	if err == nil && row.removal == nil && !row.done && row.goes() {
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
	st, err := s.standNow(j.name)
	if err != nil {
		return nil, err
	}
	if st.entry == nil || st.state != row.state || st.entry.Setup != row.entry.Setup {
		return nil, nil
	}
	j.entry = st.entry
	r := &removal{job: j, path: st.path, verb: "prune"}
	if row.making() {
		return r, r.undoMaking(ctx)
	}
	if err := r.check(ctx); err != nil {
		row.reason = reasonOf(err)
		return nil, nil
	}
	if r.branch != row.verdict.Branch || r.tip != row.verdict.Tip {
		row.reason = "unmerged"
		return nil, nil
	}
	return r, r.away(ctx)
}
