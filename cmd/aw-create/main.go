// Aw-create makes a worktree on its own branch, or finishes making it.
//
// Usage:
//
//	agent-worktree create [--from <ref>] [--branch <branch>] <name>
//
// A new branch is cut from origin's default branch as origin has it now. Then
// the project's setup runs, and the result is the worktree's path. Run again, it
// goes on where it stopped; a ready worktree is only printed. With - for the name
// it reads names from standard input, one a line, and prints worktrees: name, path.
//
// --from cuts the new branch from a commit of this checkout and reaches no
// remote; --branch names the branch when it is not the name. --json, --plain and
// -z choose another form; under -z the names read end in NUL too.
//
// It refuses a name or branch that cannot be (invalid_name, case_collision,
// invalid_branch, branch_exists, unknown_branch, ref_conflict, checked_out: choose
// another), a base it cannot get (unknown_ref, no_commits, remote_unreachable: use
// --from HEAD), what stands in its place (unmanaged, orphaned, not_a_worktree) and
// setup that fails (setup_failed: mend the hook, create again). Each names its act.
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	agent-worktree create --from HEAD task-a
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	flags := ff.NewFlagSet("create")
	from := flags.StringLong("from", "", "cut a new branch from a `ref` of this checkout")
	branch := flags.StringLong("branch", "", "name the `branch`, where it is not <name>")

	cli.Main("create", flags, func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		name, err := p.One("name")
		if err == nil && p.Piped() && *from+*branch != "" {
			err = p.Usage("--from and --branch are for one worktree, and - names many")
		}
		if err != nil {
			return cli.Answer{}, err
		}
		options := task.CreateOptions{From: *from, Branch: *branch}
		return create(ctx, p, name, options)
	})
}
