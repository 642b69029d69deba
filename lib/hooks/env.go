package hooks

import (
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// Vars is what a hook is told. An empty field leaves its variable unset.
type Vars struct {
	Primary string // WORKTREE_PRIMARY: the primary checkout
	Path    string // WORKTREE_PATH: where the worktree is or was, "" when nobody knows
	Name    string // WORKTREE_NAME: the worktree's name, "" for the primary
	Port    string // WORKTREE_PORT: the first port of its block
}

// Env returns a hook's environment, in the form NAME=value: the caller's, less the variables that
// aim git at a repository (a caller that git itself runs has them set, and the hook's own git would
// then work on the caller's repository), with the four of Vars set or removed, whatever the caller's said.
func Env(caller []string, v Vars) []string {
	told := []struct{ name, value string }{
		{"WORKTREE_PRIMARY", v.Primary},
		{"WORKTREE_PATH", v.Path},
		{"WORKTREE_NAME", v.Name},
		{"WORKTREE_PORT", v.Port},
	}
	var dropped []string
	for _, t := range told {
		dropped = append(dropped, t.name)
	}
	env := make([]string, 0, len(caller)+len(told))
	for _, kv := range caller {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(dropped, name) && !git.LocalVar(name) {
			env = append(env, kv)
		}
	}
	for _, t := range told {
		if t.value != "" {
			env = append(env, t.name+"="+t.value)
		}
	}
	return env
}
