//go:build unix

package tests

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The ways in which a worktree goes.
var ways = []string{"prune", "remove", "remove --force", "hook"}

// forced tells whether a way overrides what force may override.
func forced(way string) bool { return way == "remove --force" || way == "hook" }

// lossWorld is a world whose worktrees land easily and need no setup.
func lossWorld(t testing.TB) *world {
	t.Helper()
	bin, err := buildTools()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, bin)
	if err := os.RemoveAll(w.at("repo/.git/worktree-hooks")); err != nil {
		t.Fatal(err)
	}
	w.write("repo/.gitignore", ".env\n*.log\ndata/\nnode_modules/\nvendored/\n")
	w.write("repo/run.sh", "#!/bin/sh\n")
	os.Chmod(w.at("repo/run.sh"), 0o755)
	w.git("repo", "add", "-A")
	w.git("repo", "commit", "-q", "-m", "second")
	w.origin(false)
	return w
}

// landedTree makes a worktree with a commit of its own that is on origin's main, pushed with
// an upstream: the one kind that prune takes.
func (w *world) landedTree(name string) string {
	w.Helper()
	w.must("create", name)
	path := w.place(name)
	w.write(strings.TrimPrefix(path, w.root+"/")+"/work-"+name, name+"\n")
	w.git(path, "add", "-A")
	w.git(path, "commit", "-q", "-m", "work of "+name)
	w.git(path, "push", "-q", "-u", "origin", "HEAD", "HEAD:main") // it was cut from origin's main
	w.git(path, "branch", "-q", "--set-upstream-to", "origin/"+name)
	return path
}

// takeAway removes a worktree in one way. code is why it stayed, "" when it went.
func (w *world) takeAway(way, name, path string) (code string, a answer) {
	w.Helper()
	switch way {
	case "prune":
		a = w.run(call{args: []string{"prune", "--full"}})
		if a.doc.Error.Code == "removals_failed" {
			_, failed, _ := strings.Cut(a.stderr, `"failed":[{"name":"`+name+`","code":"`)
			code, _, _ = strings.Cut(failed, `"`)
			return code, a
		}
		row := w.row(a, name)
		if row["verdict"] != "removed" {
			return fmt.Sprint(row["reason"]), a
		}
		return "", a
	case "hook":
		event, _ := json.Marshal(map[string]string{"hook_event_name": "WorktreeRemove", "worktree_path": path, "cwd": w.at("repo")})
		a = w.run(call{args: []string{"hook"}, stdin: string(event)})
	default:
		a = w.run(call{args: append(strings.Fields(way), name)})
	}
	if a.status != 0 && a.doc.Error.Code == "" {
		w.Fatalf("%s", a)
	}
	return a.doc.Error.Code, a
}

// row is prune's about one worktree.
func (w *world) row(a answer, name string) map[string]any {
	w.Helper()
	rows, _ := a.doc.Result["rows"].([]any)
	for _, r := range rows {
		if row, _ := r.(map[string]any); row["name"] == name {
			return row
		}
	}
	w.Fatalf("no row %s: %s", name, a)
	return nil
}

// A picture is all that a worktree holds, by path, and what git says of it.
type picture map[string]string

// paint takes the picture of a worktree.
func (w *world) paint(path string) picture {
	w.Helper()
	p := picture{}
	err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(path, at)
		if rel == ".git" {
			return nil
		}
		if strings.Contains(rel+"/", ".git/") {
			// A repository inside: its own bytes, but what a status rewrites.
			if base := filepath.Base(rel); d.IsDir() || base == "index" || base == ".git" {
				return nil
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			text, err = os.Readlink(at)
		case info.Mode().IsRegular():
			var data []byte
			data, err = os.ReadFile(at)
			text = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		p["file "+rel] = info.Mode().String() + " " + text
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	for _, question := range []string{"status --porcelain=v2 --branch --ignored=matching -uall -z", "ls-files -s -v -z", "rev-parse HEAD", "for-each-ref refs/worktree refs/bisect"} {
		answer, _ := w.tryGit(path, strings.Fields(question)...)
		lines := strings.FieldsFunc(answer, func(r rune) bool { return r == 0 || r == '\n' })
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "# branch.ab") || strings.HasPrefix(line, "# branch.upstream")
		})
		for _, line := range lines {
			p["git "+question+" "+line] = "there"
		}
	}
	return p
}

// differs is what is not as it was, by path.
func (p picture) differs(now picture) []string {
	var list []string
	for key, text := range p {
		if now[key] != text {
			list = append(list, fmt.Sprintf("%q was %q and is %q", key, text, now[key]))
		}
	}
	for key, text := range now {
		if _, had := p[key]; !had {
			list = append(list, fmt.Sprintf("%q is new: %q", key, text))
		}
	}
	slices.Sort(list)
	return list
}

// collect lets git delete all that nothing reaches any more.
func (w *world) collect() {
	w.Helper()
	w.git("repo", "-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now",
		"-c", "gc.refs/stash.reflogExpire=never", "-c", "gc.refs/stash.reflogExpireUnreachable=never", "gc", "-q", "--prune=now")
}

// slimmed waits until nothing in the trash is to be slimmed any more.
func (w *world) slimmed() {
	w.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		waiting := ""
		records, _ := filepath.Glob(w.at("data/agent-worktree/trash/*/*/entry.json"))
		for _, path := range records {
			if data, _ := os.ReadFile(path); strings.Contains(string(data), `"slim": true`) {
				waiting = path
			}
		}
		if waiting == "" {
			return
		}
		if time.Now().After(end) {
			w.Fatalf("%s is not slimmed", waiting)
		}
	}
}

// has tells whether the clone has an object.
func (w *world) has(id string) bool {
	_, err := w.tryGit("repo", "cat-file", "-e", id)
	return err == nil
}
