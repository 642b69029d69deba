// Agent-worktree runs the tool of a verb, as git runs git's.
//
// Usage:
//
//	agent-worktree <verb> [<argument>]...
//	agent-worktree --help | --version
//
// It finds aw-<verb> beside itself, else in ../libexec/agent-worktree, else on
// PATH, and becomes it: arguments, environment and streams are handed on as they
// are. Without a verb it is ls. A word that is no verb is looked for on PATH as
// aw-<word>. --help's result is commands, a table of usage and summary; --version
// prints the version alone.
//
// --json, --plain and -z choose another form of output.
//
// It refuses a verb whose tool is nowhere (tool_not_installed: install the tool),
// and an unknown command as usage.
//
// It exits as the tool does, or 1 when it refuses, or 2 when the command line is
// wrong.
//
//	agent-worktree create task-a
package main

import (
	"os"
	"strings"

	"github.com/cniska/agent-worktree/lib/cli"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		runVerb(args[0], args[1:])
	}
	if onlyForms(args) {
		runVerb("ls", args)
	}
	answer, err := own(args)
	cli.Exit(cli.Program, cli.FormOf(args), answer, err)
}

// runVerb does not return.
func runVerb(word string, args []string) {
	command, path, err := locate(word)
	if err == nil {
		err = become(path, args)
	}
	cli.Exit(command, cli.FormOf(args), cli.Answer{}, err)
}
