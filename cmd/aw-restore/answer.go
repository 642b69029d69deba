package main

import (
	"context"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
)

func list(ctx context.Context, project *task.Project) (cli.Answer, error) {
	entries, err := project.Restorable(ctx)
	table := toon.Table{Columns: []string{"name", "removed", "branch", "head", "files", "path"}}
	for _, e := range entries {
		table.Rows = append(table.Rows, []any{
			e.Name, e.Removed, cli.OrNull(e.Branch), cli.OrNull(e.Head), e.Files, cli.OrNull(e.Path),
		})
	}
	return cli.Answer{Result: toon.Object{{Key: "removed", Value: table}}, Rows: table.Rows}, err
}

func restore(ctx context.Context, project *task.Project, name string) (cli.Answer, error) {
	r, err := project.Restore(ctx, name)
	branch := cli.OrNull(r.Branch)
	return cli.Answer{
		Result: toon.Object{
			{Key: "name", Value: r.Name},
			{Key: "path", Value: r.Path},
			{Key: "branch", Value: branch},
			{Key: "recovery", Value: r.Recovery},
		},
		Rows: [][]any{{r.Name, r.Path, branch, r.Recovery}},
	}, err
}
