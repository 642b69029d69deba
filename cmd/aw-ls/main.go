// Aw-ls lists the project's worktrees and the state of each.
//
// Usage:
//
//	agent-worktree ls [--full] [-o <columns>] [--state <states>] [--all] [--outside] [--fetch] [--summary]
//
// The result is counts, how many worktrees are in each state, and worktrees, a
// table of name, state and path by name. --full adds branch and ports; -o takes a
// comma-separated list instead, in the order to print, of name, state, branch,
// ports, path, head, tree, landed, verdict, reason, active, busy, size, project.
// Each column costs what it needs to ask and nothing is asked for the others.
//
// --state keeps the rows in the states listed; --outside adds git's other
// worktrees; --all covers every project of the machine, and works outside a
// checkout; --fetch asks the remote and the forge what has landed; --summary prints
// one plain line, or nothing. --json, --plain and -z choose another form of output.
//
// It refuses a working directory outside any checkout (not_a_checkout: change into
// one, or --all), and an unknown column or state as usage.
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	agent-worktree ls --plain -o name --state orphaned | agent-worktree remove -
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
)

func main() {
	flags := ff.NewFlagSet("ls")
	l := listing{}
	flags.BoolVar(&l.full, 0, "full", "add branch and ports")
	flags.StringVar(&l.columns, 'o', "", "", "print these instead: a `list of columns`")
	flags.StringVar(&l.states, 0, "state", "", "keep the rows in a `list of states`")
	flags.BoolVar(&l.options.All, 0, "all", "cover every project of the machine")
	flags.BoolVar(&l.options.Outside, 0, "outside", "add git's other worktrees")
	flags.BoolVar(&l.options.Fetch, 0, "fetch", "ask the remote and the forge what has landed")
	flags.BoolVar(&l.summary, 0, "summary", "print one line, or nothing")

	cli.Main("ls", flags, func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		if err := p.None(); err != nil {
			return cli.Answer{}, err
		}
		return l.answer(ctx, p)
	})
}
