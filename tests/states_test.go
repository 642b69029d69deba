//go:build unix

package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A state is one way in which a worktree can stand, and what prune says of it.
type state struct {
	name    string
	make    string // shell, run in the primary; $P is the worktree's path
	verdict string // would_remove, quiet or kept
	reason  string
	remove  string // the code that remove --dry-run refuses with, "" where it would go
}

// states are as many as there are ways that the design tells apart and that a test can
// bring about without another account or a mount. work NAME makes a worktree with a
// commit, land NAME pushes it with an upstream and merges it into origin's main.
var states = []state{
	{"fresh", `agent-worktree create fresh`, "kept", "no_upstream", ""},
	{"local", `work local`, "kept", "no_upstream", ""},
	{"open", `work open; git push -q -u origin open`, "kept", "unmerged", ""},
	{"merged", `work merged; land merged`, "would_remove", "", ""},
	{"unpushed", `work unpushed; git push -q origin unpushed:unpushed; merge unpushed`, "kept", "no_upstream", ""},
	{"squashed", `work squashed; git push -q -u origin squashed; squash squashed`, "would_remove", "", ""},
	{"more", `work more; land more; commit more again`, "kept", "unmerged", ""},
	{"ahead", `work ahead; land ahead; push_more ahead`, "would_remove", "", ""},
	{"cut", `agent-worktree create cut; git push -q -u origin cut`, "kept", "no_own_commit", ""},
	{"tracks", `agent-worktree create tracks; git branch -q --set-upstream-to=origin/main tracks`, "kept", "tracks_default", ""},
	{"untracked", `work untracked; land untracked; echo x >$P/new`, "kept", "dirty", "dirty"},
	{"modified", `work modified; land modified; echo x >>$P/modified`, "kept", "dirty", "dirty"},
	{"staged", `work staged; land staged; echo x >$P/new; git -C $P add new`, "kept", "dirty", "dirty"},
	{"hidden", `work hidden; land hidden; git -C $P update-index --assume-unchanged hidden; echo x >>$P/hidden`, "kept", "dirty", "dirty"},
	{"merging", `work merging; land merging; git -C $P rev-parse HEAD >$(git -C $P rev-parse --git-path MERGE_HEAD)`, "kept", "dirty", "dirty"},
	{"loose", `work loose; git -C $P switch -q --detach`, "kept", "detached", ""},
	{"noremote", `work noremote; git config branch.noremote.remote nowhere; git config branch.noremote.merge refs/heads/x`, "kept", "no_remote", ""},
	{"empty", `work empty; git config branch.empty.remote bare; git config branch.empty.merge refs/heads/x`, "kept", "no_default_branch", ""},
	{"away", `work away; git config branch.away.remote away; git config branch.away.merge refs/heads/x`, "kept", "remote_unreachable", ""},
	{"locked", `work locked; land locked; git worktree lock $P`, "kept", "locked", "locked"},
	{"submodule", `work submodule; git -C $P submodule --quiet add $T/sub sub; git -C $P commit -q -m sub; land submodule`, "kept", "submodules", "submodules"},
	{"repository", `work repository; land repository; git init -q $P/ignored/r; git -C $P/ignored/r commit -q --allow-empty -m x`, "kept", "nested_repository", "nested_repository"},
	{"worktree", `work worktree; land worktree; git worktree add -q -b inner $P/ignored/inner`, "kept", "nested_worktree", "nested_worktree"},
	{"gone", `work gone; rm -r $P`, "would_remove", "", "orphaned"},
	{"unlisted", `work unlisted; git worktree remove --force $P; mkdir $P`, "kept", "unlisted", "not_a_worktree"},
	{"unmanaged", `mkdir $P`, "kept", "unmanaged", "unmanaged"},
	{"foreign", `work foreign; mv $P $T/was; git init -q $P`, "kept", "unreachable", "unreachable"},
	{"corrupt", `work corrupt; echo '{' >.git/agent-worktrees/corrupt.json`, "kept", "corrupt", "ledger_corrupt"},
	{"legacy", `mkdir -p .claude/worktrees; git worktree add -q -b legacy .claude/worktrees/legacy; echo '{"setup":"finished"}' >.git/agent-worktrees/legacy.json`, "kept", "legacy", "legacy_location"},
	{"moved", `echo '{"setup":"finished","primary":"/nowhere/at/all","path":"/nowhere/w"}' >.git/agent-worktrees/moved.json`, "kept", "primary_moved", "primary_moved"},
	{"copied", `echo '{"setup":"finished","primary":"'$T/sub'","path":"'$T'/w"}' >.git/agent-worktrees/copied.json`, "would_remove", "", "primary_copied"},
	{"making", `echo '{"setup":"making","branch":"making"}' >.git/agent-worktrees/making.json`, "would_remove", "", ""},
	{"pending", `work pending; echo '{"setup":"pending"}' >.git/agent-worktrees/pending.json`, "kept", "no_upstream", ""},
	{"busy", `work busy; land busy`, "kept", "in_use", ""},
	{"working", `work working; land working`, "kept", "pending", ""},
	{"current", `work current; land current`, "kept", "current", ""},
	{"old", `work old; age old`, "quiet", "", ""},
	{"olddirty", `work olddirty; echo x >$P/new; touch -t 202001010000 $P/new; age olddirty`, "quiet", "", "dirty"},
	{"asked", `work asked; age asked`, "kept", "no_upstream", ""},
	{"outer", `git worktree add -q -b outer $T/outer`, "kept", "outside", "not_registered"},
}

const stateWords = `set -e
path() { agent-worktree path --plain $1; }
commit() { echo "$2" >>$(path $1)/$1; git -C $(path $1) add -A; git -C $(path $1) commit -q -m "$1 $2"; }
work() { agent-worktree create $1 >/dev/null 2>&1; commit $1 one; commit $1 two; }
other() { cd $T/other; git fetch -q --prune origin; git reset -q --hard origin/main; }
merge() { (other; git merge -q --no-ff -m "merge $1" origin/$1; git push -q origin HEAD:main); }
land() { git push -q -u origin $1; merge $1; }
squash() { (other; git merge -q --squash origin/$1 >/dev/null; git commit -q -m "squash $1"; git push -q origin HEAD:main :$1); }
push_more() { (other; git switch -q --detach origin/$1; git commit -q --allow-empty -m more; git push -q origin HEAD:$1); }
age() { GIT_COMMITTER_DATE=2020-01-01T00:00:00 git -C $(path $1) commit -q --amend --no-edit; touch -t 202001010000 $(path $1)/.git; }
`

const stateWorld = `git init -q --bare origin.git
git init -q --bare bare.git
git init -q sub
git -C sub commit -q --allow-empty -m sub
git init -q primary
cd primary
echo ignored >.gitignore
git add .gitignore
git commit -q -m first
git remote add origin $T/origin.git
git remote add bare $T/bare.git
git remote add away $T/nowhere.git
git push -q origin main
git fetch -q origin
git clone -q $T/origin.git $T/other
`

// stateForge says that the branch asked has a pull request open.
const stateForge = `#!/bin/sh
echo '[{"state":"OPEN","headRefName":"asked","headRefOid":"x"}]'
`

// TestOneDecision puts a worktree into each state and holds ls, prune's dry run, prune
// itself and remove's dry run to one decision.
func TestOneDecision(t *testing.T) {
	if testing.Short() {
		t.Skip("makes forty worktrees")
	}
	w := newStates(t)
	ls := w.rows(t, "worktrees", "ls", "--fetch", "--outside", "-o", "name,verdict,reason")
	dry := w.rows(t, "rows", "prune", "--dry-run")
	w.compareRemove(t)
	full := w.rows(t, "rows", "prune", "--full")
	for _, s := range states {
		want := s.verdict + " " + s.reason
		if s.name == "busy" && runtime.GOOS != "linux" {
			want = "would_remove "
		}
		for tool, rows := range map[string]map[string]map[string]any{"ls": ls, "prune --dry-run": dry, "prune --full": full} {
			got := strings.Replace(decision(rows[s.name]), "removed", "would_remove", 1)
			if got != want {
				t.Errorf("%s: %s says %q; want %q", s.name, tool, got, want)
			}
		}
		for _, fact := range []string{"by", "branch", "outcome", "path"} {
			if a, b := dry[s.name][fact], full[s.name][fact]; a != b {
				t.Errorf("%s: %s is %v in the dry run, and %v in the real one", s.name, fact, a, b)
			}
		}
	}
	// The worktree inside another is one of git's too.
	if len(dry) != len(states)+1 || len(ls) != len(dry) || len(full) != len(dry) {
		t.Errorf("ls, prune --dry-run and prune --full have %d, %d and %d rows; want %d", len(ls), len(dry), len(full), len(states)+1)
	}
}

func decision(row map[string]any) string {
	reason, _ := row["reason"].(string)
	return fmt.Sprintf("%v %s", row["verdict"], reason)
}

// A world of states is a clone with a worktree in each.
type stateful struct {
	env     []string
	bin     string
	current string // where the tools run
}

func newStates(t *testing.T) stateful {
	bin, dir := tools(t), scratchDir(t)
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte(stateForge), 0o755); err != nil {
		t.Fatal(err)
	}
	env := append(scratchEnv(t, dir), "T="+dir, "PATH="+dir+":"+bin+":"+os.Getenv("PATH"))
	command(t, env, dir, "sh", "-e", "-c", stateWorld)
	primary := filepath.Join(dir, "primary")
	for _, s := range states {
		script := stateWords + "P=$(path " + s.name + ")\n" + s.make
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir, cmd.Env = primary, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, out)
		}
	}
	path := func(name string) string {
		return strings.TrimSpace(command(t, env, primary, filepath.Join(bin, "agent-worktree"), "path", "--plain", name))
	}
	sleeper := exec.Command("sleep", "600")
	sleeper.Dir = path("busy")
	// A child of ours is the tools' sibling, and nobody's ancestor.
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })
	holdLock(t, filepath.Join(primary, ".git", "agent-worktrees", ".working.lock"))
	return stateful{env: env, bin: bin, current: path("current")}
}

// holdLock is a live command that works on a worktree.
func holdLock(t *testing.T, path string) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
}

// rows are a tool's rows in JSON, by name.
func (w stateful) rows(t *testing.T, table string, args ...string) map[string]map[string]any {
	t.Helper()
	var doc struct {
		Result map[string]json.RawMessage `json:"result"`
	}
	out := command(t, w.env, w.current, filepath.Join(w.bin, "agent-worktree"), append(args, "--json")...)
	var rows []map[string]any
	err := json.Unmarshal([]byte(out), &doc)
	if err == nil {
		err = json.Unmarshal(doc.Result[table], &rows)
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	byName := map[string]map[string]any{}
	for _, row := range rows {
		byName[row["name"].(string)] = row
	}
	return byName
}

// compareRemove holds remove's dry run to the guards. The worktree that another command
// works on is left out: remove waits for it.
func (w stateful) compareRemove(t *testing.T) {
	t.Helper()
	for _, s := range states {
		if s.name == "working" {
			continue
		}
		cmd := exec.Command(filepath.Join(w.bin, "agent-worktree"), "remove", "--dry-run", "--json", s.name)
		cmd.Dir, cmd.Env, cmd.WaitDelay = w.current, w.env, time.Minute
		var stderr strings.Builder
		cmd.Stderr = &stderr
		err := cmd.Run()
		code := ""
		if err != nil {
			_, envelope, _ := strings.Cut("\n"+stderr.String(), "\n{")
			var doc struct {
				Error struct{ Code string }
			}
			if err := json.Unmarshal([]byte("{"+envelope), &doc); err != nil {
				t.Errorf("remove --dry-run %s: %v\n%s", s.name, err, &stderr)
			}
			code = doc.Error.Code
		}
		if code != s.remove {
			t.Errorf("remove --dry-run %s refuses as %q; want %q", s.name, code, s.remove)
		}
	}
}
