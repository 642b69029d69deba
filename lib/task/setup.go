package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/include"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// hookPlace is where this worktree's setup, ports and keep hooks are looked for.
func (j *job) hookPlace() hooks.Place {
	return hooks.Place{Checkout: j.store.Path(j.name), Common: j.Common}
}

// prepare sets a worktree up: its port block, the files .worktreeinclude brings, the
// setup hook; then it is recorded as finished. Any failure leaves it pending.
func (j *job) prepare(ctx context.Context) error {
	j.clearIdle(ctx)
	block, err := j.claim(ctx)
	if err != nil {
		return err
	}
	if err := j.bring(ctx); err != nil {
		return err
	}
	if err := j.setup(ctx, block); err != nil {
		return err
	}
	j.refresh(ctx)
	return j.record(ledger.Finished)
}

// refresh has git look at the new files once more where that spares later reads: git
// takes a file for changed that is as young as the index, and hashes it every time. In
// the second of the checkout itself looking again would not help.
func (j *job) refresh(ctx context.Context) {
	index, err := os.Stat(filepath.Join(git.Link(j.store.Path(j.name)), "index"))
	if err != nil || time.Now().Unix() <= index.ModTime().Unix() {
		return
	}
	// A filter that fails on what it wrote itself is no reason to refuse.
	_ = j.repo.Refresh(ctx, j.store.Path(j.name))
}

// bring brings the files that the primary's .worktreeinclude lists. What could not be
// brought is noted: setup may not need it.
func (j *job) bring(ctx context.Context) error {
	result, err := include.Bring(ctx, j.repo.Git, j.Primary, j.store.Path(j.name))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		note(j.out, ".worktreeinclude was not brought: %s", err)
	}
	for _, failed := range result.Failed {
		note(j.out, ".worktreeinclude: %s", failed)
	}
	return nil
}

// setup runs the checkout's setup hook.
func (j *job) setup(ctx context.Context, block ports.Block) error {
	path := j.store.Path(j.name)
	place := j.hookPlace()
	hook, err := place.Find(hooks.Setup)
	if err != nil {
		return err
	}
	if hook == "" {
		j.noteUncommitted(hooks.Setup)
		return nil
	}
	return j.runSetup(ctx, hook, hooks.Vars{Primary: j.Primary, Path: path, Name: j.name, Port: port(block)}, path)
}

// runSetup runs a setup hook in a checkout; a failure is setup_failed.
func (j *job) runSetup(ctx context.Context, hook string, vars hooks.Vars, dir string) error {
	call := hooks.Call{Path: hook, Dir: dir, Env: hooks.Env(j.Env, vars), Stderr: j.out}
	script, err := j.vet(ctx, hooks.Setup, hook)
	if err != nil {
		return err
	}
	if script != nil {
		call.Body, call.Scratch = script.Body, j.ledger.Dir
	}
	err = hooks.Run(ctx, call)
	var failed *hooks.ExitError
	if !errors.As(err, &failed) {
		return err
	}
	act := "agent-worktree create " + j.name
	if j.name == "" {
		act = "agent-worktree init"
	}
	return &refuse.Refusal{
		Code:    refuse.SetupFailed,
		Message: fmt.Sprintf("setup of %s failed: %s", dir, failed),
		Meta:    hookMeta(j.name, dir, failed),
		Resolve: "mend " + refuse.Shell(hook) + " or what it needs, then " + act,
	}
}

// hookMeta is the facts of a hook that failed.
func hookMeta(name, path string, failed *hooks.ExitError) refuse.Meta {
	meta := refuse.Meta{{Key: "path", Value: path}, {Key: "hook", Value: failed.Hook}, {Key: "exit", Value: failed.Status}}
	if failed.Signal != "" {
		meta = append(meta, refuse.Fact{Key: "signal", Value: failed.Signal})
	}
	if name != "" {
		meta = append(refuse.Meta{{Key: "name", Value: name}}, meta...)
	}
	return meta
}

// noteUncommitted says that the primary has a hook which the worktree's branch lacks:
// most likely it was written and not committed.
func (j *job) noteUncommitted(kind hooks.Kind) {
	primary := hooks.Place{Checkout: j.Primary, Common: j.Common}
	if hook, _ := primary.Find(kind); hook != "" {
		note(j.out, "no %s hook ran: %s is in the primary checkout and not on branch %s; commit and push it, or agent-worktree install --local", kind, hook, j.branchNow())
	}
}

// branchNow is the worktree's branch as far as the entry tells.
func (j *job) branchNow() string {
	if j.entry != nil && j.entry.Branch != "" {
		return j.entry.Branch
	}
	return j.name
}

// port is WORKTREE_PORT for a block, "" for none.
func port(block ports.Block) string {
	if len(block) == 0 {
		return ""
	}
	return strconv.Itoa(block.First())
}
