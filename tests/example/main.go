// Example is a program of somebody else's that keeps its own worktrees through the
// package lib/task, without starting a tool: it makes, lists and removes them in the
// clone that it is started in.
//
//	example make <name>...
//	example list
//	example remove <name>...
//
// It exits 3 where the package refuses, with the refusal's code on standard error.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/task"
)

func main() {
	err := run(context.Background(), os.Args[1:])
	var refused *refuse.Refusal
	switch {
	case errors.As(err, &refused):
		fmt.Fprintf(os.Stderr, "%s: %s\n", refused.Code, refused.Message)
		os.Exit(3)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: example make|list|remove <name> [<name>]")
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	project, err := task.Open(ctx, task.World{Dir: dir, Env: os.Environ(), Stderr: os.Stderr})
	if err != nil {
		return err
	}
	switch names := args[1:]; args[0] {
	case "make":
		return makeAll(ctx, project, names)
	case "list":
		return list(ctx, project)
	case "remove":
		return removeAll(ctx, project, names)
	}
	return fmt.Errorf("unknown word %s", args[0])
}

// makeAll makes the worktrees side by side and prints where each is.
func makeAll(ctx context.Context, project *task.Project, names []string) error {
	made, err := project.CreateAll(ctx, names)
	for _, w := range made {
		if w.Path != "" {
			fmt.Println(w.Path)
		}
	}
	return err
}

func list(ctx context.Context, project *task.Project) error {
	listing, err := project.List(ctx, task.ListOptions{Columns: []string{"name", "state"}})
	for _, row := range listing.Rows {
		fmt.Println(row...)
	}
	return err
}

// removeAll removes one worktree after another and says what became of each branch.
func removeAll(ctx context.Context, project *task.Project, names []string) error {
	for _, name := range names {
		removed, err := project.Remove(ctx, name, task.RemoveOptions{})
		if err != nil {
			return err
		}
		fmt.Println(removed)
	}
	return nil
}
