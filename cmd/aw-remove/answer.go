package main

import (
	"context"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
)

func remove(ctx context.Context, p *cli.Process, name string, o task.RemoveOptions) (cli.Answer, error) {
	project, err := task.Open(ctx, task.World(p.World))
	if err != nil {
		return cli.Answer{}, err
	}
	if p.Piped() {
		return removeAll(ctx, p, project, o)
	}
	removed, err := project.Remove(ctx, name, o)
	return cli.Answer{Result: flat(removed), Rows: [][]any{row(removed)}}, err
}

func removeAll(
	ctx context.Context, p *cli.Process, project *task.Project, o task.RemoveOptions,
) (cli.Answer, error) {
	names, err := p.Names()
	if err != nil {
		return cli.Answer{}, err
	}
	removed, err := project.RemoveAll(ctx, names, o)
	table := toon.Table{
		Columns: []string{"name", "branch", "outcome", "into", "remoteBranch", "recovery"},
	}
	for _, r := range removed {
		table.Rows = append(table.Rows, row(r))
	}
	return cli.Answer{Result: toon.Object{{Key: "removed", Value: table}}, Rows: table.Rows}, err
}

// flat is one removal as an object, with the facts that its outcome has.
func flat(r task.Removed) toon.Object {
	result := toon.Object{
		{Key: "name", Value: r.Name},
		{Key: "branch", Value: cli.OrNull(r.Branch)},
		{Key: "outcome", Value: r.Outcome},
	}
	for _, fact := range facts(r) {
		result = append(result, toon.Field{Key: fact[0], Value: cli.OrNull(fact[1])})
	}
	return append(result, toon.Field{Key: "recovery", Value: cli.OrNull(r.Recovery)})
}

// facts is what goes with the outcome, each a key and a value, in their order.
func facts(r task.Removed) [][2]string {
	switch r.Outcome {
	case "deleted":
		return [][2]string{{"landing", r.Landing}, {"into", r.Into}, {"remoteBranch", r.RemoteBranch}}
	case "unmerged", "tracks_default":
		return [][2]string{{"into", r.Into}}
	case "no_remote", "no_default_branch":
		return [][2]string{{"remote", r.Remote}}
	case "remote_unreachable":
		return [][2]string{{"remote", r.Remote}, {"detail", r.Detail}}
	case "remote_branch_ahead":
		return [][2]string{{"remoteBranch", r.RemoteBranch}}
	case "remote_branch_kept":
		return [][2]string{{"remoteBranch", r.RemoteBranch}, {"detail", r.Detail}}
	case "checked_out":
		return [][2]string{{"at", r.At}}
	case "detached":
		return [][2]string{{"head", r.Head}}
	}
	return nil
}

// row is one removal in a table, where every outcome has the same cells.
func row(r task.Removed) []any {
	return []any{
		r.Name, cli.OrNull(r.Branch), r.Outcome,
		cli.OrNull(r.Into), cli.OrNull(r.RemoteBranch), cli.OrNull(r.Recovery),
	}
}
