package task

import (
	"context"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// Init runs the project's setup in the checkout the command runs in: the primary, or a
// registered worktree, which it then records as finished. It refuses as
// not_a_managed_checkout in any other.
func (p *Project) Init(ctx context.Context) error {
	if !p.Linked() {
		return p.initPrimary(ctx)
	}
	name, ok := p.nameOf(p.Top)
	if !ok {
		return p.initOther()
	}
	j, err := p.begin(ctx, name, p.Stderr)
	if err != nil {
		return err
	}
	defer j.end()
	j.judge = settle.New(p.repo)
	defer j.judge.Close(context.WithoutCancel(ctx))
	return j.init(ctx)
}

// initPrimary runs setup in the primary, which has no name and holds no ports.
func (p *Project) initPrimary(ctx context.Context) error {
	// git's own refusal of the clone, as for one that another account owns, comes
	// before any code of it runs.
	if err := p.repo.Usable(ctx); err != nil {
		return err
	}
	j := &job{Project: p, out: p.Stderr}
	hook, err := hooks.Place{Checkout: p.Primary, Common: p.Common}.Find(hooks.Setup)
	if err != nil || hook == "" {
		return err
	}
	return j.runSetup(ctx, hook, hooks.Vars{Primary: p.Primary, Path: p.Primary}, p.Primary)
}

// nameOf is the name of the worktree whose place in the store dir is.
func (p *Project) nameOf(dir string) (string, bool) {
	names, err := p.ledger.Names()
	if err != nil {
		return "", false
	}
	for _, name := range names {
		if p.store.Path(name) == dir {
			return name, true
		}
	}
	return "", false
}

// initOther refuses a checkout that is not at a registered worktree's place; one in the
// earlier location has a refusal of its own.
func (p *Project) initOther() error {
	find, err := p.admins()
	if err != nil {
		return err
	}
	names, err := p.ledger.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		s := p.stand(name, find)
		if s.entry != nil && (s.entry.Path == p.Top && s.state == Orphaned || s.path == p.Top) {
			if err := p.refusal(s); err != nil {
				return err
			}
		}
	}
	return &refuse.Refusal{
		Code:    refuse.NotAManagedCheckout,
		Message: p.Top + " is neither the primary checkout nor a registered worktree",
		Meta:    refuse.Meta{{Key: "path", Value: p.Top}, {Key: "primary", Value: p.Primary}},
		Resolve: "cd " + refuse.Shell(p.Primary) + " && agent-worktree init, or make a worktree with agent-worktree create <name>",
	}
}

func (j *job) init(ctx context.Context) error {
	s, err := j.standNow(j.name)
	if err != nil {
		return err
	}
	j.entry = s.entry
	if s.state == Orphaned && j.cameAlong(s) {
		j.entry.Primary, j.entry.Path = j.Primary, s.path
		s.state = Pending
	}
	if err := j.refusal(s); err != nil {
		return err
	}
	if s.entry == nil {
		return notRegistered(j.name)
	}
	if s.entry.Setup == ledger.Making {
		return j.resume(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := j.record(ledger.Pending); err != nil {
		return err
	}
	return j.prepare(ctx)
}

// cameAlong tells whether a worktree of a clone that was moved stands at its place for
// the new path, git's entry and the worktree pointing at each other.
func (j *job) cameAlong(s standing) bool {
	if s.why != moved || !s.there || !store.Leads(s.path, j.Common) {
		return false
	}
	admin, listed, err := git.AdminOf(j.Common, s.path)
	return err == nil && listed && git.Link(s.path) == admin.Dir
}
