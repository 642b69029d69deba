//go:build unix

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A loss is one way to lose work, by its number in the data-loss matrix. do puts the
// work into a landed worktree and returns what else is to hold once it came back.
type loss struct {
	id      string
	what    string
	do      func(w *world, name, path string) (back func())
	no      string // the refusal without force, "" when it goes
	kept    string // prune's reason where it is another
	hard    bool   // force does not override
	changes bool   // the way itself changes the worktree before it judges it
}

func none() {}

var losses = []loss{
	{id: "L01", what: "modified and staged", no: "dirty", do: func(w *world, name, path string) func() {
		put(w, path, "a.txt", "mine\n")
		put(w, path, "b.txt", "staged\n")
		w.git(path, "add", "b.txt")
		put(w, path, "b.txt", "and changed again\n")
		return none
	}},
	{id: "L02", what: "untracked, and git configured to hide it", no: "dirty", do: func(w *world, name, path string) func() {
		w.git("repo", "config", "status.showUntrackedFiles", "no")
		put(w, path, "new/notes", "mine\n")
		return none
	}},
	{id: "L03", what: "ignored", do: func(w *world, name, path string) func() {
		put(w, path, ".env", "TOKEN=mine\n")
		put(w, path, "data/db", "rows\n")
		return none
	}},
	{id: "L04", what: "edits git was told to overlook", no: "dirty", do: func(w *world, name, path string) func() {
		w.git(path, "update-index", "--assume-unchanged", "a.txt")
		w.git(path, "update-index", "--skip-worktree", "b.txt")
		put(w, path, "a.txt", "hidden\n")
		put(w, path, "b.txt", "hidden too\n")
		return none
	}},
	{id: "L05", what: "edits that a file-system monitor hides", no: "dirty", do: func(w *world, name, path string) func() {
		w.write("hooks/monitor", "#!/bin/sh\nprintf 'x\\0'\n")
		w.git(path, "status")
		w.git("repo", "config", "core.fsmonitor", w.at("hooks/monitor"))
		w.git(path, "status")
		put(w, path, "a.txt", "edit\n")
		return none
	}},
	{id: "L06", what: "a repository, untracked", no: "dirty", do: func(w *world, name, path string) func() {
		nested(w, filepath.Join(path, "inner"))
		return none
	}},
	{id: "L07", what: "a repository in an ignored directory", no: "nested_repository", do: func(w *world, name, path string) func() {
		nested(w, filepath.Join(path, "node_modules", "inner"))
		return none
	}},
	{id: "L07-worktree", what: "another worktree in an ignored directory", no: "nested_worktree", hard: true, do: func(w *world, name, path string) func() {
		w.git("repo", "worktree", "add", "-q", "--detach", filepath.Join(path, "data", "inner"))
		put(w, path, "data/inner/notes", "mine\n")
		return none
	}},
	{id: "L08", what: "commits on a detached HEAD", kept: "detached", do: func(w *world, name, path string) func() {
		w.git(path, "checkout", "-q", "--detach")
		id := commit(w, path, "detached")
		return func() { has(w, id) }
	}},
	{id: "L09", what: "commits that did not land", kept: "unmerged", do: func(w *world, name, path string) func() {
		id := commit(w, path, "ahead")
		return func() { has(w, id) }
	}},
	{id: "L10", what: "a commit that the teardown makes", changes: true, do: func(w *world, name, path string) func() {
		w.write("repo/.git/worktree-hooks/teardown", "#!/bin/sh\ncd \"$WORKTREE_PATH\" && echo late >late && git add late && git commit -q -m late\n")
		return func() {
			os.Remove(w.at("repo/.git/worktree-hooks/teardown"))
			if text, err := os.ReadFile(filepath.Join(path, "late")); string(text) != "late\n" {
				w.Errorf("the late commit is not back: %q, %v", text, err)
			}
		}
	}},
	{id: "L11", what: "a branch that is deleted since it landed", do: func(w *world, name, path string) func() {
		id := w.git(path, "rev-parse", "HEAD")
		return func() {
			if tip := w.git("repo", "rev-parse", "refs/heads/"+name); tip != id {
				w.Errorf("the branch came back at %s; want %s", tip, id)
			}
		}
	}},
	{id: "L12", what: "commits only the branch's reflog has", do: func(w *world, name, path string) func() {
		id := commit(w, path, "to be amended")
		w.git(path, "reset", "-q", "--hard", "HEAD~")
		os.Remove(logOf(w, path)) // HEAD's own would tell too
		return func() { has(w, id) }
	}},
	{id: "L13", what: "commits only HEAD's reflog has", do: func(w *world, name, path string) func() {
		w.git(path, "checkout", "-q", "--detach")
		id := commit(w, path, "dropped")
		w.git(path, "checkout", "-q", name)
		return func() { has(w, id) }
	}},
	{id: "L14", what: "a paused rebase", no: "dirty", kept: "dirty", do: paused(false)},
	{id: "L15", what: "a rebase's autostash", no: "dirty", kept: "dirty", do: paused(true)},
	{id: "L16", what: "a merge that is not committed", no: "dirty", do: func(w *world, name, path string) func() {
		w.git("repo", "branch", "-f", "side-"+name, "HEAD")
		w.git(path, "checkout", "-q", "side-"+name)
		commit(w, path, "side")
		w.git(path, "checkout", "-q", name)
		w.git(path, "merge", "-q", "--no-ff", "--no-commit", "side-"+name)
		return func() { w.git(path, "commit", "-q", "-m", "merged") }
	}},
	{id: "L17", what: "a bisect, a picked commit, refs of the worktree's own", no: "dirty", do: func(w *world, name, path string) func() {
		w.git(path, "checkout", "-q", "--detach")
		id := commit(w, path, "only here")
		w.git(path, "update-ref", "refs/worktree/mine", id)
		w.git(path, "checkout", "-q", name)
		w.git(path, "bisect", "start")
		w.git(path, "bisect", "bad", "HEAD")
		return func() {
			has(w, id)
			w.git(path, "bisect", "reset")
		}
	}},
	{id: "L18", what: "stashes", do: func(w *world, name, path string) func() {
		put(w, path, "a.txt", "stashed\n")
		w.git(path, "stash", "-q")
		id := w.git(path, "rev-parse", "refs/stash")
		return func() {
			if list := w.git(path, "stash", "list", "--format=%H"); !strings.Contains(list, id) {
				w.Errorf("the stash is gone: %s", list)
			}
			has(w, id)
		}
	}},
	{id: "L19", what: "commits in a submodule", no: "submodules", do: func(w *world, name, path string) func() {
		if !there(w.at("library")) {
			w.git("", "init", "-q", w.at("library"))
			commit(w, w.at("library"), "library")
		}
		w.git(path, "submodule", "--quiet", "add", w.at("library"), "sub-"+name)
		w.git(path, "commit", "-q", "-m", "submodule")
		land(w, path)
		id := commit(w, filepath.Join(path, "sub-"+name), "only here")
		w.git(filepath.Join(path, "sub-"+name), "branch", "mine")
		w.git(filepath.Join(path, "sub-"+name), "checkout", "-q", "--detach", "HEAD~")
		return func() { w.git(filepath.Join(path, "sub-"+name), "cat-file", "-e", id) }
	}},
	{id: "L23", what: "what links inside lead to", no: "dirty", do: func(w *world, name, path string) func() {
		w.write("outside/"+name+"/file", "not ours\n")
		os.Symlink(w.at("outside/"+name), filepath.Join(path, "link"))
		return func() { holds(w, w.at("outside/"+name+"/file"), "not ours\n") }
	}},
	{id: "L24", what: "what is linked hard from outside", no: "dirty", do: func(w *world, name, path string) func() {
		w.write("outside/"+name+"/hard", "not ours\n")
		os.Link(w.at("outside/"+name+"/hard"), filepath.Join(path, "hard"))
		return func() {
			a, _ := os.Stat(w.at("outside/" + name + "/hard"))
			b, err := os.Stat(filepath.Join(path, "hard"))
			if err != nil || !os.SameFile(a, b) {
				w.Errorf("the link is no longer one: %v", err)
			}
		}
	}},
	{id: "L27", what: "an index that a git holds", do: func(w *world, name, path string) func() {
		lock := filepath.Join(adminOf(w, path), "index.lock")
		if err := os.WriteFile(lock, nil, 0o644); err != nil {
			w.Fatal(err)
		}
		return none
	}},
	{id: "L28", what: "a remote branch with more", do: func(w *world, name, path string) func() {
		id := commit(w, path, "on the remote alone")
		w.git(path, "push", "-q", "origin", "HEAD")
		w.git(path, "reset", "-q", "--hard", "HEAD~")
		return func() {
			if got := w.git("origin.git", "rev-parse", "refs/heads/"+name); got != id {
				w.Errorf("origin's branch is at %s; want %s", got, id)
			}
		}
	}},
	{id: "L29", what: "the ports of a service that still runs", do: func(w *world, name, path string) func() {
		w.write("repo/.git/worktree-hooks/ports", "1\n")
		w.run(call{args: []string{"init"}, dir: path})
		w.write("repo/.git/worktree-hooks/teardown", "#!/bin/sh\n[ -n \"$WORKTREE_PORT\" ] && ls \"$XDG_DATA_HOME/agent-worktree/ports\" | grep -q $WORKTREE_PORT && echo $WORKTREE_PORT >\"$WORLD/torn\"\n")
		return func() {
			if text, err := os.ReadFile(w.at("torn")); err != nil || len(text) == 0 {
				w.Errorf("the teardown did not run while the ports were held: %v", err)
			}
			os.RemoveAll(w.at("repo/.git/worktree-hooks"))
		}
	}},
	{id: "L30", what: "the records themselves", no: "dirty", do: func(w *world, name, path string) func() {
		put(w, path, "notes", "mine\n")
		return none
	}},
}

// TestLossMatrix takes a landed worktree with work in it away in each way, lets git
// collect its garbage, brings it back, and compares.
func TestLossMatrix(t *testing.T) {
	tools(t)
	for _, l := range losses {
		t.Run(l.id, func(t *testing.T) {
			t.Parallel()
			w := lossWorld(t)
			var taken []*taken
			for _, way := range ways { // prune first, while there is nothing else that it takes
				taken = append(taken, l.take(w, way))
			}
			w.collect()
			for _, x := range taken {
				t.Run(x.way, func(t *testing.T) { w.TB = t; x.check(w) })
			}
		})
	}
}

// A taken worktree is one that a way was tried on.
type taken struct {
	loss
	way, name, path string
	before          picture
	back            func()
	code            string // why it stayed
	differ          []string
	a               answer
}

func (l loss) take(w *world, way string) *taken {
	name := strings.ToLower(l.id) + "-" + strings.NewReplacer(" --", "-").Replace(way)
	x := &taken{loss: l, way: way, name: name, path: w.landedTree(name)}
	x.back = l.do(w, name, x.path)
	x.before = w.paint(x.path)
	x.code, x.a = w.takeAway(way, name, x.path)
	if there(x.path) { // and git may lose of it what git loses of any worktree
		x.compare(w)
	}
	return x
}

// want is the code with which the way refuses.
func (x *taken) want() string {
	switch {
	case forced(x.way) && !x.hard:
		return ""
	case x.way == "prune" && x.kept != "":
		return x.kept
	}
	return x.no
}

func (x *taken) check(w *world) {
	if want := x.want(); x.code != want {
		w.Errorf("%q; want %q\n%s", x.code, want, x.a)
	}
	stayed := there(x.path)
	if stayed != (x.code != "") {
		w.Fatalf("it is there: %v\n%s", stayed, x.a)
	}
	if !stayed {
		w.must("restore", x.name)
		x.compare(w)
		x.back()
	}
	if len(x.differ) > 0 && !x.changes {
		w.Errorf("it is otherwise now:\n%s\n%s", strings.Join(x.differ, "\n"), x.a)
	}
}

func (x *taken) compare(w *world) { x.differ = x.before.differs(w.paint(x.path)) }

// put writes a file into a worktree.
func put(w *world, path, file, text string) {
	w.Helper()
	file = filepath.Join(path, file)
	os.MkdirAll(filepath.Dir(file), 0o755)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// commit makes a commit with a file of its own.
func commit(w *world, path, what string) string {
	w.Helper()
	put(w, path, strings.ReplaceAll(what, " ", "-"), what+" in "+path+"\n")
	w.git(path, "add", "-A")
	w.git(path, "commit", "-q", "-m", what)
	return w.git(path, "rev-parse", "HEAD")
}

// land pushes what a worktree has to origin's main.
func land(w *world, path string) {
	w.Helper()
	w.git(path, "push", "-q", "origin", "HEAD", "HEAD:main")
}

func nested(w *world, path string) {
	w.Helper()
	w.git("", "init", "-q", path)
	commit(w, path, "inner")
	put(w, path, "not-committed", "mine\n")
}

func has(w *world, id string) {
	w.Helper()
	if !w.has(id) {
		w.Errorf("commit %s is gone", id)
	}
}

func holds(w *world, path, text string) {
	w.Helper()
	if data, err := os.ReadFile(path); string(data) != text {
		w.Errorf("%s is %q, %v; want %q", path, data, err, text)
	}
}

func adminOf(w *world, path string) string {
	w.Helper()
	return w.git(path, "rev-parse", "--absolute-git-dir")
}

func logOf(w *world, path string) string { return filepath.Join(adminOf(w, path), "logs", "HEAD") }

// paused leaves a rebase at a conflict; with an edit that git stashed for it.
func paused(stash bool) func(w *world, name, path string) func() {
	return func(w *world, name, path string) func() {
		w.git(path, "checkout", "-q", "--detach", "HEAD~")
		put(w, path, "a.txt", "theirs of "+name+"\n")
		w.git(path, "commit", "-q", "-a", "-m", "theirs")
		onto := w.git(path, "rev-parse", "HEAD")
		w.git(path, "checkout", "-q", name)
		put(w, path, "a.txt", "ours of "+name+"\n")
		w.git(path, "commit", "-q", "-a", "-m", "ours")
		land(w, path)
		if stash {
			put(w, path, "b.txt", "in the autostash\n")
		}
		if _, err := w.tryGit(path, "rebase", "--autostash", "-q", onto); err == nil {
			w.Fatal("the rebase did not stop")
		}
		put(w, path, "a.txt", "both\n")
		w.git(path, "add", "a.txt")
		return func() {
			w.git(path, "-c", "core.editor=true", "rebase", "--continue")
			if stash {
				holds(w, filepath.Join(path, "b.txt"), "in the autostash\n")
			}
			if head := w.git(path, "symbolic-ref", "HEAD"); head != "refs/heads/"+name {
				w.Errorf("HEAD is %s after the rebase", head)
			}
		}
	}
}

// TestLossModes holds what is written about removed worktrees to the caller's eyes, even
// when the umask would let others see it.
func TestLossModes(t *testing.T) {
	tools(t)
	w := lossWorld(t)
	path := w.landedTree("task")
	put(w, path, ".env", "TOKEN=mine\n")
	w.write("repo/.git/worktree-hooks/keep", "*.log\n")
	put(w, path, "notes.log", "notes\n")
	old := syscall.Umask(0)
	w.must("remove", "task")
	syscall.Umask(old)
	for _, level := range []string{"trash", "trash/*", "trash/*/*", "trash/*/*/tree", "trash/*/*/git", "kept", "kept/*", "kept/*/*"} {
		checkMode(t, w.at("data/agent-worktree/"+level), 0o700)
	}
	for _, file := range []string{"trash/*/*/entry.json", "kept/*/*/manifest.json", "kept/*/*/notes.log"} {
		checkMode(t, w.at("data/agent-worktree/"+file), 0o600)
	}
}

func checkMode(t *testing.T, pattern string, want os.FileMode) {
	t.Helper()
	paths, _ := filepath.Glob(pattern)
	if len(paths) == 0 {
		t.Errorf("nothing at %s", pattern)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v; want %v", path, info.Mode().Perm(), want)
		}
	}
}
