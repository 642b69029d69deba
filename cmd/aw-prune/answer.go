package main

import (
	"context"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
)

func prune(ctx context.Context, p *cli.Process, o task.PruneOptions, exitCode bool) (cli.Answer, error) {
	project, err := task.Open(ctx, task.World(p.World))
	if err != nil {
		return cli.Answer{}, err
	}
	pruned, err := project.Prune(ctx, o)
	if err != nil {
		return cli.Answer{}, err
	}
	answer := cli.Answer{}
	if exitCode && pruned.Removed == 0 {
		answer.Status = 1
	}
	if pruned.HasRows {
		answer.Result, answer.Rows = result(pruned), pruned.Rows.Rows
	}
	return answer, nil
}

func result(pruned task.Pruned) toon.Object {
	counts := toon.Object{}
	for _, c := range pruned.Counts {
		counts = append(counts, toon.Field{Key: c.State, Value: c.N})
	}
	result := toon.Object{{Key: "counts", Value: counts}, {Key: "rows", Value: *pruned.Rows}}
	if pruned.Quiet != nil {
		result = append(result, toon.Field{Key: "quiet", Value: *pruned.Quiet})
	}
	return result
}
