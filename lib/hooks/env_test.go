package hooks

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/git"
)

func TestEnv(t *testing.T) {
	caller := []string{"A=1", "WORKTREE_NAME=other", "WORKTREE_PATH=/other", "WORKTREE_PORT=1",
		"GIT_DIR=/other/.git", "GIT_NAMESPACE=x", "GIT_AUTHOR_NAME=me", "WORKTREE_NAMES=kept",
		"ODD", "B=x=y", "WORKTREE_PRIMARY=/other"}
	kept := []string{"A=1", "GIT_AUTHOR_NAME=me", "WORKTREE_NAMES=kept", "ODD", "B=x=y"}
	tests := []struct {
		vars Vars
		want []string
	}{
		{Vars{Primary: "/p", Path: "/w", Name: "n", Port: "24000"}, []string{
			"WORKTREE_PRIMARY=/p", "WORKTREE_PATH=/w", "WORKTREE_NAME=n", "WORKTREE_PORT=24000"}},
		{Vars{Primary: "/p", Path: "/p"}, []string{"WORKTREE_PRIMARY=/p", "WORKTREE_PATH=/p"}},
		{Vars{Primary: "/p", Name: "n"}, []string{"WORKTREE_PRIMARY=/p", "WORKTREE_NAME=n"}},
	}
	for _, test := range tests {
		want := append(slices.Clone(kept), test.want...)
		if got := Env(caller, test.vars); !slices.Equal(got, want) {
			t.Errorf("Env(caller, %+v) = %q; want %q", test.vars, got, want)
		}
	}
}

// TestRepositoryVars: a newer git may know a variable that is not dropped yet.
func TestRepositoryVars(t *testing.T) {
	out, err := exec.Command("git", "rev-parse", "--local-env-vars").Output()
	if err != nil {
		t.Skipf("git rev-parse --local-env-vars: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		if !git.LocalVar(name) {
			t.Errorf("git lists %s as local to a repository; want it dropped", name)
		}
	}
}
