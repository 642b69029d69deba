package main

import (
	"context"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
)

func create(ctx context.Context, p *cli.Process, name string, o task.CreateOptions) (cli.Answer, error) {
	project, err := task.Open(ctx, task.World(p.World))
	if err != nil {
		return cli.Answer{}, err
	}
	if p.Piped() {
		return createAll(ctx, p, project)
	}
	created, err := project.Create(ctx, name, o)
	return cli.Answer{
		Result: toon.Object{{Key: "path", Value: created.Path}},
		Rows:   [][]any{{created.Path}},
	}, err
}

func createAll(ctx context.Context, p *cli.Process, project *task.Project) (cli.Answer, error) {
	names, err := p.Names()
	if err != nil {
		return cli.Answer{}, err
	}
	created, err := project.CreateAll(ctx, names)
	table := toon.Table{Columns: []string{"name", "path"}}
	for _, c := range created {
		table.Rows = append(table.Rows, []any{c.Name, c.Path})
	}
	return cli.Answer{Result: toon.Object{{Key: "worktrees", Value: table}}, Rows: table.Rows}, err
}
