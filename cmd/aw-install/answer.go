package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
	"github.com/cniska/agent-worktree/lib/toon"
)

// check refuses what would write no hook, or one that could not be meant.
func check(p *cli.Process, o task.InstallOptions) error {
	if err := p.None(); err != nil {
		return err
	}
	hooks := o.Setup != nil || o.Teardown != nil || o.Ports != nil || len(o.Keep) > 0
	switch {
	case !hooks && !o.Trust:
		return p.Usage("install needs a hook to write")
	case blank(o.Setup):
		return p.Usage("--setup needs a command")
	case blank(o.Teardown):
		return p.Usage("--teardown needs a command")
	case o.Ports != nil && !isCount(*o.Ports):
		return p.Usage("--ports takes a whole number from 1 to 1000, not %s", *o.Ports)
	}
	for _, pattern := range o.Keep {
		if blank(&pattern) {
			return p.Usage("--keep needs a pattern")
		}
	}
	return nil
}

func blank(s *string) bool { return s != nil && strings.TrimSpace(*s) == "" }

// isCount takes a number of ports in its one usual spelling, which is what the
// hook will hold.
func isCount(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1 && n <= 1000 && strconv.Itoa(n) == s
}

func install(ctx context.Context, p *cli.Process, o task.InstallOptions) (cli.Answer, error) {
	project, err := task.Open(ctx, task.World(p.World))
	if err != nil {
		return cli.Answer{}, err
	}
	hooks, err := project.Install(ctx, o)
	rows := make([][]any, len(hooks))
	for i, hook := range hooks {
		rows[i] = []any{hook}
	}
	return cli.Answer{Result: toon.Object{{Key: "hooks", Value: hooks}}, Rows: rows}, err
}
