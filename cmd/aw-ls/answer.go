package main

import (
	"context"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
)

// listing is what the command line asks for.
type listing struct {
	full, summary   bool
	columns, states string // comma-separated, "" when not given
	options         task.ListOptions
}

func (l listing) answer(ctx context.Context, p *cli.Process) (cli.Answer, error) {
	if err := l.choose(p); err != nil {
		return cli.Answer{}, err
	}
	if l.summary {
		return summary(ctx, p)
	}
	list, err := l.list(ctx, task.World(p.World))
	if err != nil {
		return cli.Answer{}, err
	}
	counts := toon.Object{}
	for _, c := range list.Counts {
		counts = append(counts, toon.Field{Key: c.State, Value: c.N})
	}
	table := toon.Table{Columns: list.Columns, Rows: list.Rows}
	return cli.Answer{
		Result: toon.Object{{Key: "counts", Value: counts}, {Key: "worktrees", Value: table}},
		Rows:   list.Rows,
	}, nil
}

func (l listing) list(ctx context.Context, w task.World) (task.Listing, error) {
	if l.options.All {
		return task.ListAll(ctx, w, l.options)
	}
	project, err := task.Open(ctx, w)
	if err != nil {
		return task.Listing{}, err
	}
	return project.List(ctx, l.options)
}

// choose works out the columns and states to ask for.
func (l *listing) choose(p *cli.Process) error {
	l.options.Columns = []string{"name", "state", "path"}
	if l.full {
		l.options.Columns = []string{"name", "state", "branch", "ports", "path"}
	}
	if l.columns != "" {
		l.options.Columns = strings.Split(l.columns, ",")
	}
	if l.states != "" {
		l.options.States = strings.Split(l.states, ",")
	}
	if !l.options.All && slices.Contains(l.options.Columns, "project") {
		return p.Usage("column project is for --all")
	}
	if err := known(p, "column", l.options.Columns, task.ListColumns); err != nil {
		return err
	}
	return known(p, "state", l.options.States, task.States)
}

// known refuses a word that is not among those known, or that occurs twice.
func known(p *cli.Process, what string, words, all []string) error {
	for i, word := range words {
		if !slices.Contains(all, word) {
			return p.Usage("unknown %s %s: the known ones are %s", what, word, strings.Join(all, ", "))
		}
		if slices.Contains(words[:i], word) {
			return p.Usage("%s %s is given twice", what, word)
		}
	}
	return nil
}

func summary(ctx context.Context, p *cli.Process) (cli.Answer, error) {
	project, err := task.Open(ctx, task.World(p.World))
	if err != nil {
		return cli.Answer{}, err
	}
	line, err := project.Summary(ctx)
	return cli.Answer{Line: line, Silent: line == ""}, err
}
