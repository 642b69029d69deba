package task

import (
	"context"
	"fmt"
	"io"

	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
)

// RemoveOptions say how a worktree goes.
type RemoveOptions struct {
	Force      bool // past the guards that force may override, and past a failed teardown
	DryRun     bool // judge only
	KeepBranch bool // leave the branch alone, here and on the remote
	KeepRemote bool // leave the remote branch alone
	Discard    bool // keep nothing in the trash but the commits

	gone bool // also take those whose directory is gone, as prune does
}

// What became of a removed worktree's branch beside the outcomes of lib/settle.
const (
	keptOutcome     = "kept"
	detachedOutcome = "detached"
)

// Removed is one removed worktree and what became of its branch. A fact that does not
// belong to the outcome is "".
type Removed struct {
	Name         string
	Branch       string // short, "" when detached
	Outcome      string
	Landing      string // merged or squash-merged
	Into         string // the remote's default branch, such as origin/main
	Remote       string
	RemoteBranch string // such as origin/task-a
	Detail       string
	At           string // the worktree that has the branch checked out
	Head         string // the commit of a detached one
	Recovery     string // what restore takes
}

// Remove tears the worktree down, moves it to the trash, settles its branch with its
// remote and unregisters it.
func (p *Project) Remove(ctx context.Context, name string, o RemoveOptions) (Removed, error) {
	b := &batch{names: []string{name}, errs: make([]error, 1)}
	one := func(do func(int, io.Writer) error) { b.errs[0] = do(0, p.Stderr) }
	results, err := p.removeAll(ctx, b, o, "remove", one)
	if err != nil {
		return Removed{}, err
	}
	return results[0], b.errs[0]
}

// RemoveAll removes several: teardowns and moves side by side, the branches of one
// remote in one push. A list may well hold worktrees whose directory is gone, as from
// `ls --state orphaned`: they are cleared as by prune. It refuses as removals_failed when any failed, after all were tried.
func (p *Project) RemoveAll(ctx context.Context, names []string, o RemoveOptions) ([]Removed, error) {
	names, o.gone = once(names), true
	b := newBatch(names)
	defer b.flush(p.Stderr)
	results, err := p.removeAll(ctx, b, o, "remove", b.run)
	if err != nil {
		return nil, err
	}
	if !o.DryRun {
		b.tellSuccesses(func(i int) string {
			return fmt.Sprintf("worktree %s removed: %s; restore takes %s", names[i], results[i], results[i].Recovery)
		})
	}
	return results, failures(refuse.RemovalsFailed, "removed", "run this again for what is left", names, b.errs)
}

// removeAll is Remove for several names; run runs one step for each.
func (p *Project) removeAll(ctx context.Context, b *batch, o RemoveOptions, verb string, run func(func(int, io.Writer) error)) ([]Removed, error) {
	if err := p.store.Check(p.store.Dir()); err != nil {
		return nil, err
	}
	judge := settle.New(p.repo)
	defer judge.Close(context.WithoutCancel(ctx))
	if !o.KeepBranch {
		if err := judge.Check(ctx); err != nil {
			return nil, err
		}
	}
	removals := make([]*removal, len(b.names))
	defer func() { p.slimAfter(removals) }() // once the locks are let go
	defer func() { endAll(removals) }()
	p.takeAll(ctx, b, o, verb, run, judge, removals)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.settleAll(ctx, judge, removals, o)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	results := make([]Removed, len(b.names))
	for i, r := range removals {
		if r == nil {
			continue
		}
		if b.errs[i] = r.unsettled; b.errs[i] == nil && !o.DryRun {
			b.errs[i] = r.unregister(ctx)
		}
		results[i] = r.result()
	}
	return results, nil
}

// takeAll takes away what can be, up to the settling of the branches.
func (p *Project) takeAll(ctx context.Context, b *batch, o RemoveOptions, verb string,
	run func(func(int, io.Writer) error), judge *settle.Judge, removals []*removal) {
	jobs := p.beginAll(ctx, b, o)
	run(func(i int, out io.Writer) (err error) {
		if jobs[i] == nil {
			return b.errs[i]
		}
		jobs[i].out, jobs[i].judge = out, judge
		removals[i], err = jobs[i].take(ctx, o, verb)
		if err != nil {
			removals[i] = nil
			jobs[i].end()
		}
		return err
	})
}

// beginAll takes the locks of all names, one after the other in the order of the names:
// two commands that each waited for what the other holds would never end. A name that
// cannot be begun has no job, and its error in the batch. A dry run leaves what a killed
// command left as it is.
func (p *Project) beginAll(ctx context.Context, b *batch, o RemoveOptions) []*job {
	jobs := make([]*job, len(b.names))
	for _, i := range b.order() {
		begin := p.begin
		if o.DryRun {
			begin = p.lock
		}
		out := p.Stderr
		if b.errs[i] = place.CheckName(b.names[i]); b.errs[i] == nil && len(b.outs) > 0 {
			out, b.errs[i] = b.out(i)
		}
		if b.errs[i] == nil {
			jobs[i], b.errs[i] = begin(ctx, b.names[i], out)
		}
	}
	return jobs
}

// endAll lets every lock go.
func endAll(removals []*removal) {
	for _, r := range removals {
		if r != nil {
			r.end()
		}
	}
}

// take does for one name all that comes before its branch is settled. The removal it
// returns holds the worktree's lock.
func (j *job) take(ctx context.Context, o RemoveOptions, verb string) (*removal, error) {
	s, err := j.standNow(j.name)
	if err != nil {
		return nil, err
	}
	j.entry = s.entry
	r := &removal{job: j, path: s.path, options: o, verb: verb}
	if o.gone && s.state == Orphaned && s.why == gone {
		return r, r.awayGone(ctx, s)
	}
	if err := j.refusal(s); err != nil {
		return nil, err
	}
	if s.entry == nil {
		return nil, notRegistered(j.name)
	}
	if s.entry.Setup == ledger.Making {
		return r, r.undoMaking(ctx)
	}
	if err := r.check(ctx); err != nil || o.DryRun {
		return r, err
	}
	return r, r.away(ctx)
}

// awayGone clears a worktree whose directory is gone; a dry run only says what of.
func (r *removal) awayGone(ctx context.Context, s standing) error {
	if !r.options.DryRun {
		return r.away0(ctx, s)
	}
	r.branch = r.entry.Branch
	return nil
}

// undoMaking takes back a worktree that was never finished, with the branch it cut.
func (r *removal) undoMaking(ctx context.Context) error {
	r.branch, r.unmade, r.again = r.entry.Branch, true, true
	if r.options.KeepBranch {
		r.entry.Cut = false // so that it is not taken back
	}
	if r.options.DryRun {
		r.uncutIt = r.entry.Cut
		return nil
	}
	if err := r.unmake(ctx); err != nil {
		return err
	}
	note(r.out, "worktree %s was half made and is undone", r.name)
	return nil
}

// settleAll judges the branches of all removals at once and deletes those that landed,
// here and, in one push each, on their remotes. One that could not be settled keeps the
// error and stays registered, so that prune tries again; the others are settled.
func (p *Project) settleAll(ctx context.Context, judge *settle.Judge, removals []*removal, o RemoveOptions) error {
	var subjects []settle.Subject
	var of []*removal
	for _, r := range removals {
		if r != nil && r.settles() {
			subjects = append(subjects, settle.Subject{Branch: r.branch, Tip: r.tip, Path: r.path})
			of = append(of, r)
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	verdicts, err := judge.Judge(ctx, subjects)
	if err != nil {
		for _, r := range of {
			r.unsettled = err
		}
		return err
	}
	options := settle.Options{KeepRemote: o.KeepRemote}
	if o.DryRun {
		verdicts, err = judge.Restrict(ctx, verdicts, options)
	} else {
		verdicts, err = judge.Settle(ctx, verdicts, options)
	}
	for i, r := range of {
		if i < len(verdicts) {
			r.verdict = verdicts[i]
		}
		switch {
		case err != nil && r.verdict.Outcome == "":
			r.unsettled = err
		case err != nil && r.verdict.Outcome == settle.Deleted && p.repo.MentionsBranch(r.branch):
			note(r.out, "branch %s is gone, its settings are not: %s", r.branch, err)
		}
	}
	return err
}
