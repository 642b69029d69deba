// Aw-restore lists the removed worktrees that can come back, or brings one back.
//
// Usage:
//
//	agent-worktree restore [<name>]
//
// Without a name the result is removed, a table of name, removed (the entry, with the
// time in it, which restore takes), branch, head, files (how many are kept) and path.
// With a name it brings back the newest removal of it, with an entry's name that one:
// commits, index, files and a paused rebase as they were. Then setup runs, and the
// result is name, path, branch and recovery, the entry it came from. What --discard
// left brings back the commits, by the name that remove gave as recovery.
//
// --json, --plain and -z choose another form of output.
//
// It refuses a name that is taken (exists: remove or rename what is there) and one
// it has nothing of (not_removed: see the list), and what create refuses about
// setup (setup_failed and others: mend the hook, then create).
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	agent-worktree restore task-a
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	cli.Main("restore", ff.NewFlagSet("restore"), func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		name, err := p.Optional("name")
		if err != nil {
			return cli.Answer{}, err
		}
		project, err := task.Open(ctx, task.World(p.World))
		if err != nil {
			return cli.Answer{}, err
		}
		if name == "" {
			return list(ctx, project)
		}
		return restore(ctx, project, name)
	})
}
