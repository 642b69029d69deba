//go:build unix

package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// theWays are the three in which a worktree is forced away.
var theWays = map[string]func(w *world, path string) answer{
	"remove": func(w *world, path string) answer { return w.run(call{args: []string{"remove", "--force", "task"}}) },
	"names": func(w *world, path string) answer {
		return w.run(call{args: []string{"remove", "--force", "-"}, stdin: "task\n"})
	},
	"hook": func(w *world, path string) answer {
		event, _ := json.Marshal(map[string]string{"hook_event_name": "WorktreeRemove", "worktree_path": path, "cwd": w.at("repo")})
		return w.run(call{args: []string{"hook"}, stdin: string(event)})
	},
}

// TestLossProof fills worktrees with one of everything, forces them away, lets git collect
// its garbage and the tool slim the trash, brings them back, and compares all of it.
func TestLossProof(t *testing.T) {
	tools(t)
	fillings := map[string]func(w *world, path string){
		"files": fillFiles, "rebase": fillRebase, "detached": fillDetached,
	}
	for what, fill := range fillings {
		for way, away := range theWays {
			t.Run(what+"/"+way, func(t *testing.T) {
				t.Parallel()
				w := lossWorld(t)
				path := w.landedTree("task")
				fill(w, path)
				if n := proof(w, path, away); what == "files" && n == 0 {
					t.Error("no cache was dropped")
				}
			})
		}
	}
}

// proof returns how many files did not come back, which a note has told.
func proof(w *world, path string, away func(w *world, path string) answer) int {
	commits := w.git(path, "log", "--reflog", "--format=%H")
	before := w.paint(path)
	if a := away(w, path); a.status != 0 || there(path) {
		w.Fatalf("%s", a)
	}
	w.slimmed()
	w.collect()
	a := w.must("restore", "task")
	missing := 0
	for _, line := range before.differs(w.paint(path)) {
		switch {
		case strings.HasPrefix(line, `"file node_modules/`) && strings.HasSuffix(line, `and is ""`):
			if strings.Contains(line, ` was "-`) { // a file
				missing++
			}
		case strings.HasPrefix(line, `"file node_modules"`), strings.Contains(line, `! node_modules/" was "there"`):
		default:
			w.Errorf("otherwise: %s", line)
		}
	}
	told := regexp.MustCompile(`([0-9]+) files? in caches dropped .*: node_modules\n`).FindStringSubmatch(a.stderr)
	if n := strconv.Itoa(missing); missing > 0 && (told == nil || told[1] != n) || missing == 0 && told != nil {
		w.Errorf("%s files did not come back, and the note is %q", n, a.stderr)
	}
	for _, id := range lines(commits) {
		has(w, id)
	}
	return missing
}

// fillFiles is every kind of file, on a branch.
func fillFiles(w *world, path string) {
	for _, name := range []string{"deleted", "renamed", "mode", "intent", "assumed", "skipped", "modified", "staged", "twice", "removed-and-new", "conflict"} {
		put(w, path, "all/"+name, name+" as committed\n")
	}
	for i := range 120 {
		put(w, path, fmt.Sprintf("many/%d/file", i), strconv.Itoa(i))
	}
	os.WriteFile(filepath.Join(path, "crlf.txt"), []byte("one\r\ntwo\r\n"), 0o644)
	put(w, path, ".gitattributes", "crlf.txt text eol=crlf\n")
	w.git(path, "add", "-A")
	w.git(path, "commit", "-q", "-m", "everything")
	put(w, path, "all/twice", "a stash\n")
	w.git(path, "stash", "-q")

	put(w, path, "all/modified", "modified\n")
	put(w, path, "all/staged", "staged\n")
	put(w, path, "all/twice", "staged once\n")
	w.git(path, "add", "all/staged", "all/twice")
	put(w, path, "all/twice", "and changed again\n")
	os.Remove(filepath.Join(path, "all/deleted"))
	w.git(path, "mv", "all/renamed", "all/renamed-now")
	os.Chmod(filepath.Join(path, "all/mode"), 0o755)
	w.git(path, "rm", "-q", "--cached", "all/removed-and-new")
	put(w, path, "all/intent-to-add", "meant\n")
	w.git(path, "add", "-N", "all/intent-to-add")
	w.git(path, "update-index", "--assume-unchanged", "all/assumed")
	put(w, path, "all/assumed", "hidden\n")
	w.git(path, "update-index", "--skip-worktree", "all/skipped")
	put(w, path, "all/skipped", "hidden too\n")
	conflict(w, path, "all/conflict")

	put(w, path, "untracked", "mine\n")
	put(w, path, "new/deep/untracked", "mine\n")
	put(w, path, "new/with\na newline", "mine\n")
	put(w, path, "new/caf\xe9", "mine\n")
	os.Symlink("nowhere", filepath.Join(path, "new/link"))
	put(w, path, "new/run", "#!/bin/sh\n")
	os.Chmod(filepath.Join(path, "new/run"), 0o751)
	os.MkdirAll(filepath.Join(path, "empty/inner"), 0o750)
	put(w, path, "new/binary", "\x00\xff\x01")
	put(w, path, "new/large", strings.Repeat("0123456789abcdef", 400<<10/16))
	put(w, path, ".env", "TOKEN=mine\n")
	put(w, path, "data/large", strings.Repeat("fedcba9876543210", 2<<20/16))
	for i := range 30 {
		put(w, path, fmt.Sprintf("node_modules/p%d/index.js", i), "cache\n")
	}
	nested(w, filepath.Join(path, "vendored", "inner"))
	nested(w, filepath.Join(path, "untracked-repository"))
	w.git("", "init", "-q", w.at("library"))
	commit(w, w.at("library"), "library")
	w.git(path, "submodule", "--quiet", "add", w.at("library"), "library")
	commit(w, filepath.Join(path, "library"), "only in the submodule")
}

// conflict puts three stages of a path into the index.
func conflict(w *world, path, file string) {
	w.Helper()
	id := w.git(path, "rev-parse", "HEAD:"+file)
	other := w.git(path, "hash-object", "-w", "all/modified")
	info := fmt.Sprintf("0 %s\t%s\n100644 %s 1\t%s\n100644 %s 2\t%s\n100644 %s 3\t%s\n",
		strings.Repeat("0", 40), file, id, file, other, file, id, file)
	script := filepath.Join(w.root, "index-info")
	if err := os.WriteFile(script, []byte(info), 0o644); err != nil {
		w.Fatal(err)
	}
	w.git(path, "-c", "alias.stages=!git update-index --index-info <'"+script+"'", "stages")
}

// fillRebase is a rebase that stopped at a conflict, with an autostash.
func fillRebase(w *world, path string) {
	paused(true)(w, "task", path)
	put(w, path, "node_modules/cached", "cache\n")
	put(w, path, "untracked", "mine\n")
}

// fillDetached is commits on no branch, amended ones, a bisect, and refs of its own.
func fillDetached(w *world, path string) {
	w.git(path, "checkout", "-q", "--detach")
	commit(w, path, "amended later")
	w.git(path, "commit", "-q", "--amend", "-m", "amended")
	commit(w, path, "and left")
	w.git(path, "update-ref", "refs/worktree/mine", "HEAD")
	w.git(path, "reset", "-q", "--hard", "HEAD~")
	w.git(path, "bisect", "start")
	w.git(path, "bisect", "bad", "HEAD")
	w.git(path, "bisect", "good", "HEAD~3")
	put(w, path, "untracked", "mine\n")
}
