package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/toon"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// onlyForms reports whether args hold nothing but options that say how to print.
func onlyForms(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool {
		return arg != "--json" && arg != "--plain" && arg != "-z"
	})
}

// own answers a command line that names no verb.
func own(args []string) (cli.Answer, error) {
	before := args
	if i := slices.Index(args, "--"); i >= 0 {
		before = args[:i]
	}
	switch {
	case slices.Equal(args, []string{"--version"}):
		return cli.VersionAnswer(), nil
	case args[0] == "--version":
		return cli.Answer{}, cli.VersionMisuse()
	case slices.Contains(before, "--help"), slices.Contains(before, "-h"):
		return help(), nil
	case slices.Contains(before, "--version"):
		return cli.Answer{}, cli.VersionMisuse()
	}
	i := slices.IndexFunc(args, func(arg string) bool { return !onlyForms([]string{arg}) })
	if strings.HasPrefix(args[i], "-") {
		return cli.Answer{}, usage("unknown option %s; a command comes before its options", args[i])
	}
	return cli.Answer{}, usage("command %s stands after %s; options come after it", args[i], args[0])
}

// help is every command's usage and summary, and the version's.
func help() cli.Answer {
	table := toon.Table{Columns: []string{"usage", "summary"}}
	for _, verb := range verbs.All {
		table.Rows = append(table.Rows, []any{verb.Usage, verb.Summary})
	}
	table.Rows = append(table.Rows, []any{"--version", "print the version"})
	return cli.Answer{Result: toon.Object{{Key: "commands", Value: table}}, Rows: table.Rows}
}

func usage(format string, args ...any) error {
	names := make([]string, len(verbs.All))
	for i, verb := range verbs.All {
		names[i] = verb.Name
	}
	return &refuse.Refusal{
		Code:    refuse.Usage,
		Message: fmt.Sprintf(format, args...),
		Resolve: cli.Program + " (" + strings.Join(names, "|") + ") ..., or " +
			cli.Program + " --help or --version",
	}
}
