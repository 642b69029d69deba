package tests

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompletionParses has each shell that is there read its own file.
func TestCompletionParses(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		file := filepath.Join("..", "packaging", "completions", "agent-worktree."+shell)
		if text, err := exec.Command(shell, "-n", file).CombinedOutput(); err != nil || len(text) > 0 {
			t.Errorf("%s -n: %v\n%s", shell, err, text)
		}
	}
}

// bashWords puts a command line before the function that completes it, with names
// in place of the tools', one of which a shell would run.
const bashWords = `
. ../packaging/completions/agent-worktree.bash
_agent_worktree_names() { printf '%s\n' task-a task-b other 'task-$(touch /dev/full)' 'task-x y'; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_agent_worktree
printf '%s ' "${COMPREPLY[@]}"
`

// TestBashCompletion asks for the words at the end of some command lines.
func TestBashCompletion(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	tests := []struct{ line, want string }{
		{"agent-worktree re", "remove restore"},
		{"agent-worktree --v", "--version"},
		{"agent-worktree ls --f", "--full --fetch"},
		{"agent-worktree --plain ls --out", "--outside"},
		{"aw-ls --su", "--summary"},
		{"agent-worktree remove task", "task-a task-b"},
		{"aw-remove --force ", "task-a task-b other"},
		{"aw-prune --yes o", "other"},
		{"aw-prune o", ""},
		{"aw-create --from t", ""},
		{"aw-install --setup ", ""},
		{"aw-hook --j", ""},
		{"/usr/local/bin/aw-path --pl", "--plain"},
	}
	for _, test := range tests {
		args := append([]string{"-c", bashWords, "bash"}, strings.Split(test.line, " ")...)
		text, err := exec.Command("bash", args...).CombinedOutput()
		if got := strings.TrimSpace(string(text)); err != nil || got != test.want {
			t.Errorf("%q completes to %q, %v; want %q", test.line, got, err, test.want)
		}
	}
}
