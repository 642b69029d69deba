// Aw-init runs the project's setup in the checkout you are in.
//
// Usage:
//
//	agent-worktree init
//
// In the primary checkout it runs the setup hook with no worktree name and no
// ports. In a registered worktree it brings the port block to the size that the
// project asks for, runs the hook with the worktree's name, and records setup as
// finished; until then the worktree reads pending. The result is null. Notes and
// what the hook prints go to standard error.
//
// --json, --plain and -z choose another form of output.
//
// It refuses any other checkout (not_a_managed_checkout: make the worktree with
// create), a hook that fails or cannot run (setup_failed, hook_not_executable,
// hook_unrunnable, untrusted_hook: mend the hook and run init again), and ports
// that cannot be had (invalid_ports, no_free_ports).
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	cd "$(agent-worktree path --plain task-a)" && agent-worktree init
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	cli.Main("init", ff.NewFlagSet("init"), func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		if err := p.None(); err != nil {
			return cli.Answer{}, err
		}
		project, err := task.Open(ctx, task.World(p.World))
		if err != nil {
			return cli.Answer{}, err
		}
		return cli.Answer{}, project.Init(ctx)
	})
}
