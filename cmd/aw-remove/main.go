// Aw-remove tears a worktree down, keeps what restore needs, and deletes its
// branch if that has landed.
//
// Usage:
//
//	agent-worktree remove [--force] [--dry-run] [--keep-branch] [--keep-remote] [--discard] <name>
//
// The result is name, branch, outcome, the facts of that outcome (such as into,
// the branch it landed in) and recovery, the entry that restore takes. With - for
// the name it reads names from standard input, one a line, and prints removed, a
// table. Notes and what hooks print go to standard error.
//
// --force overrides a refusal about uncommitted work or a failed teardown, and
// still loses nothing; --discard skips the trash; --dry-run says what would
// happen; --keep-branch and --keep-remote leave those alone. --json, --plain and -z
// choose another form; under -z the names read end in NUL too.
//
// It refuses work that is not safe (dirty, submodules, nested_repository: commit,
// or --force), what it may not touch (locked, nested_worktree, mount_inside,
// not_deletable), a teardown that fails (teardown_failed) and names it does not
// keep (not_registered, unmanaged, orphaned). Each names its act.
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	agent-worktree remove task-a
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	cli.Later(slim)
	flags := ff.NewFlagSet("remove")
	o := task.RemoveOptions{}
	flags.BoolVar(&o.Force, 0, "force", "remove although there is uncommitted work or the teardown fails")
	flags.BoolVar(&o.DryRun, 0, "dry-run", "say what would happen")
	flags.BoolVar(&o.KeepBranch, 0, "keep-branch", "leave the branch alone")
	flags.BoolVar(&o.KeepRemote, 0, "keep-remote", "leave the remote branch alone")
	flags.BoolVar(&o.Discard, 0, "discard", "skip the trash")

	cli.Main("remove", flags, func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		name, err := p.One("name")
		if err != nil {
			return cli.Answer{}, err
		}
		return remove(ctx, p, name, o)
	})
}
