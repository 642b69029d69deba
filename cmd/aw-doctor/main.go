// Aw-doctor checks the machine, the project and its worktrees, changing nothing.
//
// Usage:
//
//	agent-worktree doctor [--full]
//
// The result is counts, how many checks are ok, warn and fail, and checks, a table
// of name, state, detail and fix: those that warn or fail, or with --full all of
// them. A fix is the act that resolves the finding. It reads PATH, git, the ledger,
// the port blocks and the project's hooks, runs no hook, probes no port and
// reaches no remote.
//
// --json, --plain and -z choose another form of output.
//
// What is wrong is a check and no refusal, also outside any checkout.
//
// It exits 0, or 1 when a check fails, or 2 when the command line is wrong.
//
//	agent-worktree doctor --full
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
)

func main() {
	flags := ff.NewFlagSet("doctor")
	full := flags.BoolLong("full", "print the checks that pass, too")

	cli.Main("doctor", flags, func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		if err := p.None(); err != nil {
			return cli.Answer{}, err
		}
		return doctor(ctx, p, *full)
	})
}
