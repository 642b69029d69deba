// Aw-hook answers a Claude Code WorktreeCreate or WorktreeRemove event.
//
// Usage:
//
//	agent-worktree hook
//
// The event is read from standard input, a JSON object. WorktreeCreate makes the
// worktree it names, as create does, and prints its path alone on a line, which
// is what Claude Code reads. WorktreeRemove removes the worktree at its
// worktree_path with force, as remove --force does, and prints what became of the
// branch. There is no envelope and no other form.
//
// On failure the first line of standard error is the reason, then what project
// hooks printed, then the error's envelope.
//
// It refuses what is no such event (hook_input, hook_event), a path that is not
// one of this project's worktrees (foreign_path: remove it by hand), and whatever
// create and remove --force refuse.
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	echo '{"hook_event_name":"WorktreeCreate","cwd":"/src/app","name":"task-a"}' | agent-worktree hook
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	cli.Later(slim)
	cli.Main("hook", ff.NewFlagSet("hook"), func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		if err := p.None(); err != nil {
			return cli.Answer{}, err
		}
		line, err := task.Hook(ctx, task.World(p.World))
		return cli.Answer{Line: line}, err
	})
}
