package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/task"
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

// Each shell's program prints the words that may end a command line, one a line: bash
// is given the line's words and fish the line; zsh completes one line after another, a
// line of -- behind the words of each, at a terminal of its own, in which compadd also
// writes what it is given into a file.
const (
	bashWords = `
. "$COMPLETIONS/agent-worktree.bash"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_agent_worktree
printf '%s\n' "${COMPREPLY[@]}"
`
	fishWords = `
source $COMPLETIONS/agent-worktree.fish
complete -C "$argv[1]" | cut -f 1
`
	zshWords = `
zmodload zsh/zpty
export SETUP='
PS1= HISTFILE=
autoload -Uz compinit && compinit -u -D
. $COMPLETIONS/agent-worktree.zsh
compadd() {
	local -a hits
	(( $@[(I)-[OAD]*] )) || { builtin compadd -A hits "$@"; print -rl -- $hits >>$WORDS }
	builtin compadd "$@"
}
capture() { _main_complete; print com"pleted" }
zle -C capture complete-word capture
bindkey "^I" capture
print rea"dy"'
zpty terminal zsh -f -i
zpty -w terminal 'eval $SETUP'
zpty -r -m terminal seen '*ready*'
for line; do
	zpty -w -n terminal $'\C-u'"$line"$'\t' && zpty -r -m terminal seen '*completed*'
	print -- -- >>$WORDS
done
cat $WORDS
`
)

// A shell completes lines in dir; it returns the words for each.
type shell struct {
	name     string
	complete func(t *testing.T, env []string, dir string, lines []string) (words []string)
}

var shells = []shell{{"bash", bashComplete}, {"fish", fishComplete}, {"zsh", zshComplete}}

func bashComplete(t *testing.T, env []string, dir string, lines []string) (words []string) {
	for _, line := range lines {
		parts := strings.Split(strings.ReplaceAll(line, "=", " = "), " ") // as bash takes it apart
		words = append(words, command(t, env, dir, "bash", append([]string{"-c", bashWords, "bash"}, parts...)...))
	}
	return words
}

func fishComplete(t *testing.T, env []string, dir string, lines []string) (words []string) {
	for _, line := range lines {
		words = append(words, command(t, env, dir, "fish", "-N", "-c", fishWords, line))
	}
	return words
}

func zshComplete(t *testing.T, env []string, dir string, lines []string) (words []string) {
	env = append(env, "WORDS="+filepath.Join(t.TempDir(), "words"))
	out := command(t, env, dir, "zsh", append([]string{"-f", "-c", zshWords, "zsh"}, lines...)...)
	return strings.Split(strings.TrimSuffix(out, "--\n"), "--\n")
}

// TestCompletionWords asks every shell that is there for the ends of command lines, in a
// project with worktrees and with removed ones, and with what looks like a worktree and
// that a shell would run.
func TestCompletionWords(t *testing.T) {
	t.Parallel()
	env, clone := completionProject(t)
	entries := strings.Fields(command(t, env, clone, "sh", "-c", "agent-worktree restore --plain | cut -f2"))
	entries = slices.DeleteFunc(entries, func(id string) bool { return !strings.HasPrefix(id, "gone.") })
	if len(entries) != 2 {
		t.Fatalf("entries of gone: %v; want two", entries)
	}
	tests := []completion{
		{"agent-worktree re", "remove restore"},
		{"agent-worktree --v", "--version"},
		{"agent-worktree ls --f", "--full --fetch"},
		{"aw-ls --su", "--summary"},
		{"agent-worktree remove task", "task-a task-b"},
		{"aw-remove --force ", "other task-a task-b"},
		{"aw-prune --yes o", "other"},
		{"aw-create --from t", ""},
		{"aw-create --from=t", ""},
		{"aw-install --setup ", ""},
		{"aw-hook --j", ""},
		{"aw-ls -o ", strings.Join(task.ListColumns, " ")},
		{"agent-worktree ls -o na", "name"},
		{"agent-worktree ls -o path,name,p", "ports project"},
		{"aw-ls --state ", strings.Join(task.States, " ")},
		{"aw-ls --full --state=ready,pen", "pending"},
		{"agent-worktree restore ", "gone lost"},
		{"aw-restore l", "lost"},
		{"aw-restore gone.", strings.Join(entries, " ")},
	}
	for _, shell := range shells {
		if _, err := exec.LookPath(shell.name); err != nil {
			t.Logf("no %s here", shell.name)
			continue
		}
		t.Run(shell.name, func(t *testing.T) { checkWords(t, shell, env, clone, tests) })
	}
}

// A completion is a command line and the words that may end it.
type completion struct{ line, want string }

func checkWords(t *testing.T, shell shell, env []string, clone string, tests []completion) {
	var lines []string
	for _, test := range tests {
		lines = append(lines, test.line)
	}
	words := shell.complete(t, env, clone, lines)
	if len(words) != len(lines) {
		t.Fatalf("%d answers to %d lines: %q", len(words), len(lines), words)
	}
	for i, test := range tests {
		got := strings.Fields(words[i])
		for i, word := range got {
			got[i] = word[strings.LastIndexAny(word, ",=")+1:] // the line has the rest of it
		}
		want := strings.Fields(test.want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q completes to %q; want %q", test.line, got, want)
		}
	}
}

// completionProject is a clone with the worktrees task-a, task-b and other, and with
// gone, which was removed twice, and lost, which was once.
func completionProject(t *testing.T) (env []string, clone string) {
	t.Helper()
	bin, dir := tools(t), scratchDir(t)
	completions, err := filepath.Abs("../packaging/completions")
	if err != nil {
		t.Fatal(err)
	}
	env = append(scratchEnv(t, dir), "COMPLETIONS="+completions, "TERM=dumb", "LC_ALL=C")
	env[0] = "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	clone = filepath.Join(dir, "clone")
	command(t, env, dir, "git", "init", "-q", clone)
	command(t, env, clone, "git", "commit", "-q", "--allow-empty", "-m", "first")
	agentWorktree := func(args ...string) string {
		return command(t, env, clone, filepath.Join(bin, "agent-worktree"), args...)
	}
	for _, name := range []string{"gone", "gone", "lost"} {
		agentWorktree("create", "--from", "HEAD", name)
		agentWorktree("remove", name)
		command(t, env, clone, "git", "branch", "-D", "-q", name)
	}
	for _, name := range []string{"task-a", "task-b", "other"} {
		agentWorktree("create", "--from", "HEAD", name)
	}
	store := filepath.Dir(strings.TrimSpace(agentWorktree("path", "--plain", "other")))
	for _, name := range []string{"task-$(touch ran)", "task-x y"} {
		if err := os.Mkdir(filepath.Join(store, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return env, clone
}

// TestBashCompletionAlone is what the others do in a way of their own: an operand that
// is none, an option before the verb, a tool by its path, a value not begun.
func TestBashCompletionAlone(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	env, clone := completionProject(t)
	checkWords(t, shells[0], env, clone, []completion{
		{"agent-worktree --plain ls --out", "--outside"},
		{"aw-prune o", ""},
		{"/usr/local/bin/aw-path --pl", "--plain"},
		{"agent-worktree ls --state=", strings.Join(task.States, " ")},
	})
}
