package task

import (
	"context"
	"errors"
	"fmt"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// teardown runs the project's teardown hook in the primary, and tells whether one ran.
func (r *removal) teardown(ctx context.Context) (ran bool, err error) {
	r.block, err = r.ports.Held(r.ledger.File(r.name))
	if err != nil {
		return false, err
	}
	if err := r.gitWorks(ctx); err != nil {
		return false, err
	}
	ran, err = r.runTeardown(ctx, r.path, r.block, "agent-worktree remove "+r.name)
	if err == nil || ctx.Err() != nil {
		return ran, err
	}
	if !r.options.Force {
		return ran, err
	}
	r.failed = err
	note(r.out, "%s; worktree %s is removed all the same and stays registered, so that agent-worktree prune runs the teardown again", err, r.name)
	return true, nil
}

// teardownHook is the project's own, "" when it has none.
func (p *Project) teardownHook() (string, error) {
	return hooks.Place{Checkout: p.Primary, Common: p.Common}.Find(hooks.Teardown)
}

// hooked tells whether the project has a teardown hook.
func (p *Project) hooked() bool {
	hook, err := p.teardownHook()
	return err != nil || hook != ""
}

// runTeardown runs the hook for a worktree at path, "" when nobody knows where it was.
// A failure is teardown_failed; again is the command that runs it again.
func (j *job) runTeardown(ctx context.Context, path string, block ports.Block, again string) (bool, error) {
	hook, err := j.teardownHook()
	if err != nil || hook == "" {
		return false, err
	}
	vars := hooks.Vars{Primary: j.Primary, Path: path, Name: j.name, Port: port(block)}
	err = hooks.Run(ctx, hooks.Call{Path: hook, Dir: j.Primary, Env: hooks.Env(j.Env, vars), Stderr: j.out})
	var failed *hooks.ExitError
	if !errors.As(err, &failed) {
		return true, err
	}
	return true, &refuse.Refusal{
		Code:    refuse.TeardownFailed,
		Message: fmt.Sprintf("teardown of worktree %s failed: %s", j.name, failed),
		Meta:    hookMeta(j.name, j.store.Path(j.name), failed),
		Resolve: "mend " + refuse.Shell(hook) + " or what it needs, then " + again,
	}
}

// gitWorks asks git for its worktrees where another one's entry is half made, on which
// git fails for all of them: better before the teardown than after it.
func (p *Project) gitWorks(ctx context.Context) error {
	half, err := git.AnyHalfMade(p.Common)
	if err == nil && half {
		_, err = p.repo.Worktrees(ctx)
	}
	return err
}
