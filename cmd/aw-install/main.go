// Aw-install writes the project's setup, teardown, ports and keep hooks.
//
// Usage:
//
//	agent-worktree install [--local] [--setup <command>] [--teardown <command>] [--ports <n>] [--keep <pattern>]... [--trust]
//
// Each option writes one hook into .worktree-hooks at the root of the checkout you
// are in, for you to commit; the other hooks stay as they are. The result is
// hooks, the absolute paths written, in the order setup, teardown, ports, keep.
//
// --setup and --teardown take a shell command; --ports how many ports a worktree
// needs, 1 to 1000; --keep a gitignore-style pattern of ignored files to archive
// when a worktree goes, and may be repeated. --local writes into the clone's git
// directory instead, where nothing is committed and every checkout shares them.
// --trust records that a person read this checkout's hooks. --json, --plain and -z
// choose another form of output.
//
// It refuses a working directory outside any checkout (not_a_checkout: change into
// one). A missing option, an empty command and a count that is no whole number
// from 1 to 1000 are usage, and nothing is written then.
//
// It exits 0, or 1 when it refuses, or 2 when the command line is wrong.
//
//	agent-worktree install --setup 'npm ci' --ports 10
package main

import (
	"context"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	flags := ff.NewFlagSet("install")
	o := task.InstallOptions{}
	flags.BoolVar(&o.Local, 0, "local", "write into the clone's git directory")
	flags.StringLong("setup", "", "set a worktree up with this shell `command`")
	flags.StringLong("teardown", "", "tear a worktree down with this shell `command`")
	flags.StringLong("ports", "", "give each worktree that `number` of ports")
	flags.StringListVar(&o.Keep, 0, "keep", "archive ignored files that match the `pattern`")
	flags.BoolVar(&o.Trust, 0, "trust", "record this checkout's hooks as read")

	cli.Main("install", flags, func(ctx context.Context, p *cli.Process) (cli.Answer, error) {
		o.Setup, o.Teardown, o.Ports = p.Given("setup"), p.Given("teardown"), p.Given("ports")
		if err := check(p, o); err != nil {
			return cli.Answer{}, err
		}
		return install(ctx, p, o)
	})
}
