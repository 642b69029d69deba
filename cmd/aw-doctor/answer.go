package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/release"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
	"github.com/cniska/agent-worktree/lib/verbs"
)

func doctor(ctx context.Context, p *cli.Process, full bool) (cli.Answer, error) {
	report, err := task.Doctor(ctx, task.World(p.World), tools())
	if err != nil {
		return cli.Answer{}, err
	}
	count := map[string]int{}
	table := toon.Table{Columns: []string{"name", "state", "detail", "fix"}}
	for _, c := range report.Checks {
		count[c.State]++
		if full || c.State != "ok" {
			table.Rows = append(table.Rows, []any{c.Name, c.State, c.Detail, cli.OrNull(c.Fix)})
		}
	}
	counts := toon.Object{
		{Key: "ok", Value: count["ok"]},
		{Key: "warn", Value: count["warn"]},
		{Key: "fail", Value: count["fail"]},
	}
	answer := cli.Answer{
		Result: toon.Object{{Key: "counts", Value: counts}, {Key: "checks", Value: table}},
		Rows:   table.Rows,
	}
	if count["fail"] > 0 {
		answer.Status = 1
	}
	return answer, nil
}

// tools is the release that the machine should have, for comparison, and where this
// part of it is.
func tools() task.Tools {
	t := task.Tools{Version: release.Version()}
	if self, err := os.Executable(); err == nil {
		t.Dir = filepath.Dir(self)
	}
	for _, verb := range verbs.All {
		t.Names = append(t.Names, verb.Binary)
	}
	return t
}
