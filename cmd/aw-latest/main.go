// Aw-latest asks the install channel for the newest version it serves.
//
// Usage:
//
//	aw-latest
//
// The channel follows from where the tool lies: Homebrew's Cellar, npm's or Bun's
// global packages, or the installer's ~/.local/bin. The answer is printed alone on
// a line and recorded, with when and whom it asked, in update-check.json under
// $XDG_STATE_HOME/agent-worktree, or ~/.local/state/agent-worktree; the other
// tools read it there. They start this one at most once a day, and do not wait.
//
// It prints nothing and exits 1 when it has no channel, when there is no answer
// within a second, when the record cannot be written, or when CI or
// AGENT_WORKTREE_NO_UPDATE_CHECK is set. It alone of the tools speaks HTTP, and
// an install without it makes no checks.
//
// It exits 0, or 1 when it has nothing to print, or 2 when the command line is
// wrong.
package main

import (
	"os"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/toon"
)

const (
	name    = "aw-latest"
	summary = "ask the install channel for the newest version, and record it"
)

func main() {
	answer, err := run(os.Args[1:])
	cli.Exit(name, cli.Form{}, answer, err)
}

func run(args []string) (cli.Answer, error) {
	switch {
	case len(args) == 0:
		return latest(), nil
	case len(args) == 1 && args[0] == "--version":
		return cli.VersionAnswer(), nil
	case args[0] == "--help" || args[0] == "-h":
		result := toon.Object{{Key: "usage", Value: name}, {Key: "summary", Value: summary}}
		return cli.Answer{Result: result}, nil
	}
	return cli.Answer{}, &refuse.Refusal{
		Code: refuse.Usage, Message: name + " takes no argument, and was given " + args[0], Resolve: name,
	}
}
