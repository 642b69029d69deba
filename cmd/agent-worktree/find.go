package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// locate finds the tool that a word runs. command is what an error's envelope
// calls it: the verb, or the program for a word that is none.
func locate(word string) (command, path string, err error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return cli.Program, "", fmt.Errorf("cannot tell where %s is: %w", cli.Program, err)
	}
	search := searchPath(os.Getenv("PATH"))
	verb, known := verbs.Find(word)
	if known {
		search = append(besides(self), search...)
	}
	// A word with a separator would leave the directories searched.
	name := "aw-" + word
	if name == filepath.Base(name) && word != "" {
		path = find(self, name, search)
	}
	switch {
	case path != "" && known:
		return verb.Name, path, nil
	case path != "":
		return cli.Program, path, nil
	case known:
		return verb.Name, "", notInstalled(verb, search)
	}
	return cli.Program, "", usage("unknown command %s", word)
}

// besides is where a release keeps its tools, relative to the dispatcher. They
// come before PATH, so that a verb is of the same release as the dispatcher.
func besides(self string) []string {
	dir := filepath.Dir(self)
	return []string{dir, filepath.Join(dir, "..", "libexec", cli.Program)}
}

// searchPath is PATH's directories but for the relative ones, where a checkout
// could plant a tool.
func searchPath(path string) []string {
	return slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir)
	})
}

// find is the first executable of that name in dirs that is not this program
// under another name, which would run itself for ever; "" when there is none.
func find(self, name string, dirs []string) string {
	me, err := os.Stat(self)
	if err != nil {
		return ""
	}
	for _, dir := range dirs {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if info, err := os.Stat(path); err == nil && !os.SameFile(me, info) {
			return path
		}
	}
	return ""
}

func notInstalled(verb verbs.Verb, searched []string) error {
	return &refuse.Refusal{
		Code:    refuse.ToolNotInstalled,
		Message: verb.Binary + " is in none of the directories searched: " + strings.Join(searched, ", "),
		Meta: refuse.Meta{
			{Key: "tool", Value: verb.Binary},
			{Key: "searched", Value: searched},
		},
		Resolve: "install " + verb.Binary + " beside " + cli.Program + ", or put it on PATH",
	}
}
