//go:build unix

package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLossArchive: the files that the keep hook lists are archived before their worktree
// goes, and one that cannot be keeps it, or is left to the trash alone.
func TestLossArchive(t *testing.T) {
	everyWay(t, "archive", func(w *world, way string) {
		w.write("repo/.git/worktree-hooks/keep", "*.log\n/node_modules/state.bin\n")
		path := w.landedTree("task")
		put(w, path, "notes.log", "GITHUB_TOKEN=ghp_"+strings.Repeat("a1B2", 9)+"\nall fine\n")
		code, a := w.takeAway(way, "task", path)
		if code != "" {
			w.Fatalf("%s", a)
		}
		archives, _ := filepath.Glob(w.at("data/agent-worktree/kept/*/*/notes.log"))
		if len(archives) != 1 {
			w.Fatalf("archives: %v\n%s", archives, a)
		}
		text, _ := os.ReadFile(archives[0])
		if strings.Contains(string(text), "ghp_") || !strings.Contains(string(text), "all fine") {
			w.Errorf("the archive holds %q", text)
		}
		entry := filepath.Base(filepath.Dir(archives[0]))
		if way == "prune" && w.row(a, "task")["archive"] != entry {
			w.Errorf("prune's row names the archive %v; want %s", w.row(a, "task")["archive"], entry)
		}
		if !strings.Contains(a.stderr, entry) {
			w.Errorf("no note names %s:\n%s", entry, a.stderr)
		}
	})
	everyWay(t, "archive_failed", func(w *world, way string) {
		w.write("repo/.git/worktree-hooks/keep", "*.log\n/node_modules/state.bin\n")
		w.write("repo/.git/worktree-hooks/teardown", "#!/bin/sh\necho torn >>\"$WORLD/torn\"\n")
		path := w.landedTree("task")
		put(w, path, "node_modules/state.bin", "\x00binary")
		put(w, path, "node_modules/package", strings.Repeat("x", 2<<20))
		before := w.paint(path)
		code, a := w.takeAway(way, "task", path)
		if forced(way) {
			w.slimmed()
			if code != "" || !strings.Contains(a.stderr, "node_modules/state.bin") {
				w.Errorf("no note names the file that only the trash holds:\n%s", a)
			}
			w.must("restore", "task")
		} else if code != "archive_failed" || there(w.at("torn")) {
			w.Errorf("%q, torn down: %v; want archive_failed before the teardown\n%s", code, there(w.at("torn")), a)
		}
		if differ := before.differs(w.paint(path)); len(differ) > 0 {
			w.Errorf("it is otherwise now:\n%s", strings.Join(differ, "\n"))
		}
		a = w.run(call{args: []string{"remove", "--force", "--discard", "task"}})
		if a.doc.Error.Code != "archive_failed" || !there(path) {
			w.Errorf("--discard: %s", a)
		}
		a = w.run(call{args: []string{"remove", "--dry-run", "task"}})
		if a.doc.Error.Code != "archive_failed" {
			w.Errorf("--dry-run: %s", a)
		}
	})
}

// TestLossMirror: what was never committed or staged is in no object of the repository.
func TestLossMirror(t *testing.T) {
	tools(t)
	w := lossWorld(t)
	path := w.landedTree("task")
	secrets := []string{"untracked secret", "ignored secret", "modified secret", "hidden secret"}
	put(w, path, "untracked", secrets[0]+"\n")
	put(w, path, ".env", secrets[1]+"\n")
	put(w, path, "a.txt", secrets[2]+"\n")
	w.git(path, "update-index", "--assume-unchanged", "b.txt")
	put(w, path, "b.txt", secrets[3]+"\n")
	put(w, path, "staged", "staged on purpose\n")
	w.git(path, "add", "staged")
	w.must("remove", "--force", "task")
	w.git("", "clone", "-q", "--mirror", w.at("repo"), w.at("mirror"))
	for _, dir := range []string{"mirror", "repo"} {
		all := w.git(dir, "cat-file", "--batch-all-objects", "--batch")
		for _, secret := range secrets {
			if strings.Contains(all, secret) {
				t.Errorf("%s has %q in an object", dir, secret)
			}
		}
		if !strings.Contains(all, "staged on purpose") {
			t.Errorf("%s has not what was staged", dir)
		}
	}
}

// entryOf is the one trash entry of a world.
func (w *world) entryOf(name string) string {
	w.Helper()
	found, _ := filepath.Glob(w.at("data/agent-worktree/trash/*/" + name + ".*"))
	if len(found) != 1 {
		w.Fatalf("entries of %s: %v", name, found)
	}
	return found[0]
}

// age renames an entry, and its anchors, as if it had been made at another time.
func (w *world) age(name string, made time.Time) {
	w.Helper()
	old := w.entryOf(name)
	stamp := made.UTC().Format("20060102T150405Z")
	if err := os.Rename(old, filepath.Join(filepath.Dir(old), name+"."+stamp)); err != nil {
		w.Fatal(err)
	}
	prefix := "refs/agent-worktree/removed/" + name + "/"
	for _, line := range lines(w.git("repo", "for-each-ref", "--format=%(refname) %(objectname)", prefix)) {
		ref, id, _ := strings.Cut(line, " ")
		_, rest, _ := strings.Cut(strings.TrimPrefix(ref, prefix), "/")
		w.git("repo", "update-ref", prefix+stamp+"/"+rest, id)
		w.git("repo", "update-ref", "-d", ref)
	}
}

// TestLossRetention: what is kept goes when its time is over, and not before.
func TestLossRetention(t *testing.T) {
	tools(t)
	day := 24 * time.Hour
	tests := []struct {
		name string
		days string // agent-worktree.keepDays, "" for none
		old  time.Duration
		gone bool
	}{
		{"young", "", 13 * day, false},
		{"old", "", 15 * day, true},
		{"none", "0", 23 * time.Hour, false},
		{"none-a-day", "0", 25 * time.Hour, true},
		{"long", "30", 29 * day, false},
		{"future", "1", -400 * day, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := lossWorld(t)
			w.must("create", "task")
			put(w, w.place("task"), "notes", "mine\n")
			w.must("remove", "--force", "task")
			w.age("task", time.Now().Add(-test.old))
			if test.days != "" {
				w.git("repo", "config", "agent-worktree.keepDays", test.days)
			}
			w.must("prune")
			anchors := w.git("repo", "for-each-ref", "refs/agent-worktree")
			found, _ := filepath.Glob(w.at("data/agent-worktree/trash/*/task.*"))
			if gone := len(found) == 0; gone != test.gone || gone != (anchors == "") {
				t.Errorf("the entry is gone: %v; want %v; anchors %q", gone, test.gone, anchors)
			}
		})
	}
	t.Run("bad", func(t *testing.T) {
		w := lossWorld(t)
		for _, value := range []string{"-1", "soon", "1.5", ""} {
			w.git("repo", "config", "agent-worktree.keepDays", value)
			a := w.run(call{args: []string{"prune"}})
			if a.doc.Error.Code != "invalid_config" || !strings.Contains(a.doc.Error.Message, "agent-worktree.keepDays") {
				t.Errorf("keepDays %q: %s", value, a)
			}
		}
	})
}

// TestLossLeftovers: anchors without an entry, and what a killed command left, go with prune.
func TestLossLeftovers(t *testing.T) {
	tools(t)
	w := lossWorld(t)
	w.must("create", "task")
	w.must("remove", "--discard", "task")
	if found, _ := filepath.Glob(w.at("data/agent-worktree/trash/*/*")); len(found) > 0 {
		t.Errorf("--discard left %v", found)
	}
	if w.git("repo", "for-each-ref", "refs/agent-worktree/removed/task") == "" {
		t.Error("--discard keeps no anchor")
	}
	id := w.git("repo", "rev-parse", "HEAD")
	old := "refs/agent-worktree/removed/x/20200101T000000Z/branch"
	w.git("repo", "update-ref", old, id)
	trash := filepath.Dir(w.at("data/agent-worktree/trash/" + filepath.Base(filepath.Dir(w.place("task"))) + "/x"))
	os.MkdirAll(filepath.Join(trash, ".y.20200101T000000Z.gone", "tree"), 0o700)
	os.MkdirAll(filepath.Join(trash, "z.20200101T000000Z", "tree"), 0o700)
	os.Chmod(filepath.Join(trash, "z.20200101T000000Z", "tree"), 0o500)
	w.must("prune")
	if found, _ := os.ReadDir(trash); len(found) > 0 {
		t.Errorf("the trash still has %v", found)
	}
	if refs := w.git("repo", "for-each-ref", "--format=%(refname)", "refs/agent-worktree"); strings.Contains(refs, old) || refs == "" {
		t.Errorf("the anchors are now %q", refs)
	}
}

// TestLossCommitsOnly: what --discard leaves brings back the commits.
func TestLossCommitsOnly(t *testing.T) {
	tools(t)
	w := lossWorld(t)
	for _, detached := range []bool{false, true} {
		name := fmt.Sprintf("task-%v", detached)
		path := w.landedTree(name)
		if detached {
			w.git(path, "checkout", "-q", "--detach")
		}
		id := commit(w, path, "only here")
		put(w, path, ".env", "dropped\n")
		a := w.must("remove", "--discard", name)
		w.tryGit("repo", "branch", "-D", name)
		w.collect()
		recovery, _ := a.doc.Result["recovery"].(string)
		a = w.must("restore", recovery)
		if got := w.git(path, "rev-parse", "HEAD"); got != id {
			t.Errorf("HEAD is %s; want %s", got, id)
		}
		if branch, _ := a.doc.Result["branch"].(string); (branch == name) == detached {
			t.Errorf("it came back on %q; detached: %v", branch, detached)
		}
		if got := w.git(path, "status", "--porcelain"); got != "" {
			t.Errorf("status %q; want none", got)
		}
	}
}

// TestLossRestoreKilled: a restore that had come to its end is never done over again.
func TestLossRestoreKilled(t *testing.T) {
	tools(t)
	w := lossWorld(t)
	w.must("create", "task")
	path := w.place("task")
	put(w, path, "notes", "mine\n")
	w.must("remove", "--force", "task")
	entry := w.entryOf("task")
	if err := exportTree(entry, w.at("saved")); err != nil {
		t.Fatal(err)
	}
	w.must("restore", "task")
	commit(w, path, "since")
	// As if it had been killed right before it deleted the entry.
	if err := exportTree(w.at("saved"), entry); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(entry, "entry.json"))
	if err != nil {
		t.Fatal(err)
	}
	var record map[string]any
	json.Unmarshal(data, &record)
	record["state"] = "restoring"
	data, _ = json.Marshal(record)
	os.WriteFile(filepath.Join(entry, "entry.json"), data, 0o600)
	os.RemoveAll(filepath.Join(entry, "tree"))
	w.must("create", "task")
	if got := w.git(path, "status", "--porcelain"); got != "" {
		t.Errorf("status %q; want none: the old index came over the new one", got)
	}
	if there(entry) {
		t.Error("the entry is still there")
	}
}

func exportTree(from, to string) error { return os.CopyFS(to, os.DirFS(from)) }
