// Aw-prune clears worktrees that are gone, and those whose branch has landed.
//
// Usage:
//
//	agent-worktree prune [--dry-run] [--full] [--merged] [--yes <name>]... [--exit-code]
//
// It tears down and unregisters every worktree whose directory is gone, removes
// those whose branch has an upstream and has landed, and frees the ports of clones
// that are gone. The result is null, or under --dry-run, --full or --yes: counts,
// rows (name, verdict, reason, by, branch, outcome, path, archive) and, when there
// are any, quiet, the worktrees that nobody worked in lately.
//
// --merged also takes branches without an upstream that the forge or their content
// shows landed; --yes removes a quiet worktree and may be repeated; --dry-run says
// what would happen; --exit-code makes 1 of nothing removed. --json, --plain and -z
// choose another form of output.
//
// It refuses, once all are tried, when a teardown or a removal failed
// (removals_failed: mend what it names, prune again), and a --yes name it does not
// know (not_registered) before any.
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	agent-worktree prune --dry-run --merged
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	cli.Later(slim)
	flags := ff.NewFlagSet("prune")
	o := task.PruneOptions{}
	flags.BoolVar(&o.DryRun, 0, "dry-run", "say what would happen")
	flags.BoolVar(&o.Full, 0, "full", "print a row for every worktree")
	flags.BoolVar(&o.Merged, 0, "merged", "also take branches without an upstream that landed")
	flags.StringListVar(&o.Yes, 0, "yes", "also remove the quiet worktree of that `name`")
	exitCode := flags.BoolLong("exit-code", "exit 1 when nothing was removed")

	cli.Main("prune", flags, func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		if err := p.None(); err != nil {
			return cli.Answer{}, err
		}
		return prune(ctx, p, o, *exitCode)
	})
}
