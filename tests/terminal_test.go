package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// nasty is what may stand in a branch's name, a path, a commit's subject or a lock's
// reason: C1 controls, marks that turn text around, ill-formed bytes; the last two may
// hold an escape and a newline too.
const (
	nastyName = "x\u009b31m\u202e\u200b\xff"
	nastyText = nastyName + "\x1b]0;owned\x07\r\n\tworktree /forged"
)

// TestTerminalSafety puts such bytes wherever a stranger can and looks for them in
// everything that is printed, in each form.
func TestTerminalSafety(t *testing.T) {
	bin, dir := tools(t), scratchDir(t)
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte("#!/bin/sh\nprintf '%s' \"$NASTY\" >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(scratchEnv(t, dir), "NASTY="+nastyText, "NAME="+nastyName, "PATH="+dir+":"+bin+":"+os.Getenv("PATH"))
	primary := filepath.Join(dir, "primary")
	command(t, env, dir, "sh", "-e", "-c", nastyWorld)
	for _, args := range []string{
		"ls --full", "ls --outside -o name,state,branch,path,tree,landed,verdict,reason", "ls --fetch -o branch,landed,reason",
		"ls --all -o name,path,project", "ls --summary", "prune --dry-run", "prune --dry-run --merged", "remove --dry-run locked",
		"remove --dry-run dirty", "remove --dry-run held", "doctor", "path a", "restore", "create failing", "prune --yes held",
	} {
		for _, form := range []string{"", "--json", "--plain"} {
			words := strings.Fields(args)
			if form != "" {
				words = append(words[:1:1], append([]string{form}, words[1:]...)...)
			}
			cmd := exec.Command(filepath.Join(bin, "agent-worktree"), words...)
			cmd.Dir, cmd.Env = primary, env
			out, _ := cmd.CombinedOutput()
			if bad := unsafeText(string(out)); bad != "" {
				t.Errorf("%v prints %q:\n%q", words, bad, out)
			}
			if args == "ls --full" && !strings.Contains(string(out), "u202e") {
				t.Errorf("%v does not show the branch:\n%s", words, out)
			}
		}
	}
}

const nastyWorld = `git init -q --bare origin.git
git init -q primary
cd primary
mkdir .worktree-hooks
git commit -q --allow-empty -m first
git remote add origin ../origin.git
git push -q origin main
work() { agent-worktree create --from HEAD --branch "$2" $1 >/dev/null 2>&1; }
path() { agent-worktree path --plain $1; }
work locked "$NAME"
git worktree lock --reason "$NASTY" "$(path locked)"
work dirty dirty
echo x >"$(path dirty)/$NAME"
printf x >"$(path dirty)/$(printf 'a\nb\033[31m')"
work held held
cd "$(path held)"
GIT_COMMITTER_DATE=2020-01-01T00:00:00 git commit -q --allow-empty -m "$NASTY"
touch -t 202001010000 .git
cd - >/dev/null
git worktree add -q -b "outside$NAME" "../$NAME$(printf '\033[31m')"
mkdir "$(dirname "$(path a)")/$NAME"
mkdir "$XDG_DATA_HOME/agent-worktree/$NAME"
touch "$XDG_DATA_HOME/agent-worktree/$NAME/x"
printf '%s' "$NASTY" >".git/agent-worktrees/corrupt.json"
git config branch.held.remote "$NASTY"
git config branch.held.merge refs/heads/x
`

// unsafeText is the first thing in the output that could act on a terminal, "" when it is
// plain text.
func unsafeText(out string) string {
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRuneInString(out[i:])
		switch {
		case r == utf8.RuneError && size <= 1, r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r <= 0x9f,
			r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e:
			return out[i : i+size]
		}
		i += size
	}
	return ""
}
