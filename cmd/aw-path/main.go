// Aw-path prints where a worktree lives, or would live.
//
// Usage:
//
//	agent-worktree path <name>
//
// The result's path is absolute and follows from the name and the primary
// checkout alone, so any valid name has one, registered or not, and asking makes
// nothing. With --plain it is the bare path:
//
//	cd "$(agent-worktree path --plain task-a)"
//
// --json, --plain and -z choose another form of output.
//
// It refuses a name that no worktree can have (invalid_name: choose another), a
// working directory outside any checkout (not_a_checkout: change into one) and a
// repository whose layout is not supported (unsupported_layout).
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
)

func main() {
	cli.Main("path", ff.NewFlagSet("path"), func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		name, err := p.One("name")
		if err != nil {
			return cli.Answer{}, err
		}
		project, err := task.Open(ctx, task.World(p.World))
		if err != nil {
			return cli.Answer{}, err
		}
		path, err := project.Path(name)
		return cli.Answer{
			Result: toon.Object{{Key: "path", Value: path}},
			Rows:   [][]any{{path}},
		}, err
	})
}
