package task

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
)

// CreateOptions say what a new worktree's branch is.
type CreateOptions struct {
	From   string // revision to cut a new branch from; "" is origin's default branch
	Branch string // the branch's name; "" is the worktree's
}

// Created is a worktree that is ready.
type Created struct {
	Name string
	Path string // absolute, real
}

// A job is one worktree being worked on under its lock.
type job struct {
	*Project
	name  string
	out   io.Writer // notes and hook output
	lock  *ledger.Lock
	entry *ledger.Entry // nil while it is not registered
	judge *settle.Judge // of this command, so that each remote is read once
	fresh bool          // this run made the directory, and nobody was told of it yet
	again bool          // it goes on with, or undoes, a making that was killed

	uncutIt bool // the branch that a making cut was deleted again

	restored string // the entry that recovery has just brought back
	onBranch string // the branch that a restored one is on, "" when detached
}

// Create makes the worktree of that name, or finishes making it, and runs the
// project's setup in it. On one that is ready it changes nothing.
func (p *Project) Create(ctx context.Context, name string, o CreateOptions) (Created, error) {
	judge := settle.New(p.repo)
	defer judge.Close(context.WithoutCancel(ctx))
	return p.create(ctx, name, o, judge, p.Stderr)
}

// CreateAll creates several, side by side; what each prints comes whole, in the order
// given. It refuses as creates_failed when any failed, after all have been tried.
func (p *Project) CreateAll(ctx context.Context, names []string) ([]Created, error) {
	judge := settle.New(p.repo)
	defer judge.Close(context.WithoutCancel(ctx))
	names = once(names)
	made := make([]Created, len(names))
	b := newBatch(names)
	defer b.flush(p.Stderr)
	for i, name := range names {
		for _, other := range names[:i] {
			if fold(name, other) {
				b.errs[i] = caseCollision(name, other, p.store.Path(other))
			}
		}
	}
	b.run(func(i int, out io.Writer) (err error) {
		made[i], err = p.create(ctx, names[i], CreateOptions{}, judge, out)
		return err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	b.tellSuccesses(func(i int) string { return fmt.Sprintf("worktree %s is ready at %s", names[i], made[i].Path) })
	return made, failures(refuse.CreatesFailed, "created", "run this again", names, b.errs)
}

func (p *Project) create(ctx context.Context, name string, o CreateOptions, judge *settle.Judge, out io.Writer) (Created, error) {
	if err := place.CheckName(name); err != nil {
		return Created{}, err
	}
	if err := p.store.Check(p.store.Dir()); err != nil {
		return Created{}, err
	}
	j, err := p.begin(ctx, name, out)
	if err != nil {
		return Created{}, err
	}
	defer j.end()
	j.judge = judge
	if err := j.create(ctx, o); err != nil {
		return Created{}, err
	}
	return Created{Name: name, Path: j.store.Path(name)}, nil
}

// begin takes the worktree's lock, waiting for another command on it, and first clears up
// what a killed one left.
func (p *Project) begin(ctx context.Context, name string, out io.Writer) (*job, error) {
	j, err := p.lock(ctx, name, out)
	if err != nil {
		return nil, err
	}
	if err := j.recover(ctx); err != nil {
		j.end()
		return nil, err
	}
	return j, nil
}

// lock takes the worktree's lock and clears nothing up.
func (p *Project) lock(ctx context.Context, name string, out io.Writer) (*job, error) {
	lock, err := p.ledger.Worktree(ctx, name, func(pid int) {
		note(out, "waiting for process %d, which works on worktree %s", pid, name)
	})
	if err != nil {
		return nil, err
	}
	return &job{Project: p, name: name, out: out, lock: lock}, nil
}

// end lets the lock go, and its file with it where nothing is registered.
func (j *job) end() {
	if e, err := j.ledger.Read(j.name); err == nil && e == nil {
		j.lock.Discard()
		return
	}
	j.lock.Unlock()
}

func (j *job) create(ctx context.Context, o CreateOptions) error {
	s, err := j.standNow(j.name)
	if err != nil {
		return err
	}
	j.entry = s.entry
	if s.state == absent {
		return j.make(ctx, o)
	}
	if err := j.refusal(s); err != nil {
		return err
	}
	if o.From != "" {
		note(j.out, "worktree %s exists, so --from %s is ignored", j.name, o.From)
	}
	if o.Branch != "" {
		note(j.out, "worktree %s exists, so --branch %s is ignored", j.name, o.Branch)
	}
	switch {
	case s.entry.Setup == ledger.Making:
		return j.resume(ctx)
	case s.state == Ready:
		return nil
	}
	return j.prepare(ctx)
}

// collides refuses a new name that differs only in case from one that is taken.
func (j *job) collides(branch string, branches []string) error {
	names, err := j.names()
	if err != nil {
		return err
	}
	for _, other := range names {
		if fold(other, j.name) {
			return caseCollision(j.name, other, j.store.Path(other))
		}
	}
	for _, other := range branches {
		if fold(other, branch) {
			return caseCollision(branch, other, "refs/heads/"+other)
		}
	}
	return nil
}

// codeOf is an error's code and message as a table's cells.
func codeOf(err error) (code, message string) {
	var r *refuse.Refusal
	var f interface{ Fault() *refuse.Fault }
	switch {
	case errors.As(err, &r):
		return string(r.Code), r.Message
	case errors.As(err, &f):
		return string(f.Fault().Code), f.Fault().Message
	}
	return string(refuse.Internal), err.Error()
}

// branchOf is the branch a new worktree gets.
func (j *job) branchOf(o CreateOptions) string {
	if o.Branch != "" {
		return o.Branch
	}
	return j.name
}

// headsOf resolves what a new branch would be cut from without asking a remote, and
// the local branches.
func (j *job) headsOf(ctx context.Context, o CreateOptions) (git.Heads, error) {
	rev := o.From
	if rev == "" {
		return j.repo.Heads(ctx, j.Primary, "")
	}
	return j.repo.Heads(ctx, j.Top, rev)
}
