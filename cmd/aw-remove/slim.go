package main

import (
	"context"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

// slim is the work that this tool leaves to a process of its own: args is the primary
// checkout whose trash is meant.
func slim(ctx context.Context, w cli.World, args []string) error {
	return task.Slim(ctx, task.World(w), args[0])
}
