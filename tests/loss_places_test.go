//go:build unix

package tests

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// everyWay runs a test once for each way, in a world of its own.
func everyWay(t *testing.T, row string, test func(w *world, way string)) {
	tools(t)
	t.Run(row, func(t *testing.T) {
		for _, way := range ways {
			t.Run(way, func(t *testing.T) {
				t.Parallel()
				test(lossWorld(t), way)
			})
		}
	})
}

// TestLossGone: what is staged in a worktree whose directory is gone, and its commits.
func TestLossGone(t *testing.T) {
	everyWay(t, "L20", func(w *world, way string) {
		path := w.landedTree("task")
		w.git(path, "checkout", "-q", "--detach")
		id := commit(w, path, "only here")
		put(w, path, "staged", "staged only\n")
		w.git(path, "add", "staged")
		blob := w.git(path, "rev-parse", ":staged")
		if err := os.RemoveAll(path); err != nil {
			w.Fatal(err)
		}
		code, a := w.takeAway(way, "task", path)
		if strings.HasPrefix(way, "remove") {
			if code != "orphaned" {
				w.Fatalf("%q; want orphaned\n%s", code, a)
			}
			w.must("prune")
		} else if code != "" {
			w.Fatalf("%s", a)
		}
		w.collect()
		has(w, id)
		has(w, blob)
		w.must("restore", "task")
		holds(w, filepath.Join(path, "staged"), "staged only\n")
		if got := w.git(path, "status", "--porcelain"); got != "A  staged" {
			w.Errorf("status %q; want the file staged", got)
		}
		if got := w.git(path, "rev-parse", "HEAD"); got != id {
			w.Errorf("HEAD is %s; want %s", got, id)
		}
	})
}

// TestLossLate: a file that appears while the worktree is removed.
func TestLossLate(t *testing.T) {
	everyWay(t, "L21", func(w *world, way string) {
		path := w.landedTree("task")
		w.write("repo/.git/worktree-hooks/teardown", "#!/bin/sh\necho late >\"$WORKTREE_PATH/late\"\n")
		code, a := w.takeAway(way, "task", path)
		if forced(way) != (code == "") {
			w.Fatalf("%q\n%s", code, a)
		}
		if code == "" {
			w.must("restore", "task")
		}
		holds(w, filepath.Join(path, "late"), "late\n")
	})
}

// TestLossMount: what is mounted inside.
func TestLossMount(t *testing.T) {
	everyWay(t, "L22", func(w *world, way string) {
		path := w.landedTree("task")
		w.write("outside/host/file", "not ours\n")
		at := filepath.Join(path, "data", "mount")
		os.MkdirAll(at, 0o755)
		if out, err := exec.Command("mount", "--bind", w.at("outside/host"), at).CombinedOutput(); err != nil {
			w.Skipf("nothing can be mounted here: %s", out)
		}
		w.Cleanup(func() { exec.Command("umount", at).Run() })
		code, a := w.takeAway(way, "task", path)
		if code != "mount_inside" {
			w.Errorf("%q; want mount_inside\n%s", code, a)
		}
		holds(w, w.at("outside/host/file"), "not ours\n")
		holds(w, filepath.Join(at, "file"), "not ours\n")
		if !strings.Contains(w.git("repo", "worktree", "list"), path) {
			w.Error("git no longer lists it")
		}
	})
}

// TestLossReplaced: what somebody put in the worktree's place.
func TestLossReplaced(t *testing.T) {
	places := map[string]func(w *world, path string) string{
		"repository": func(w *world, path string) string {
			w.git("", "init", "-q", path)
			return filepath.Join(path, "sentinel")
		},
		"directory": func(w *world, path string) string {
			os.Mkdir(path, 0o755)
			return filepath.Join(path, "sentinel")
		},
		"link": func(w *world, path string) string {
			os.Symlink(w.at("aside"), path)
			return filepath.Join(w.at("aside"), "sentinel")
		},
	}
	for what, place := range places {
		everyWay(t, "L25-"+what, func(w *world, way string) {
			path := w.landedTree("task")
			if err := os.Rename(path, w.at("aside")); err != nil {
				w.Fatal(err)
			}
			sentinel := place(w, path)
			if err := os.WriteFile(sentinel, []byte("not ours\n"), 0o644); err != nil {
				w.Fatal(err)
			}
			code, a := w.takeAway(way, "task", path)
			if code == "" {
				w.Errorf("it went\n%s", a)
			}
			holds(w, sentinel, "not ours\n")
			holds(w, filepath.Join(w.at("aside"), "work-task"), "task\n")
		})
	}
}

// TestLossKilled: a removal that is killed leaves the worktree whole, or the trash.
func TestLossKilled(t *testing.T) {
	everyWay(t, "L26", func(w *world, way string) {
		path := w.landedTree("task")
		put(w, path, ".env", "mine\n")
		if forced(way) {
			put(w, path, "notes", "mine\n")
		}
		before := w.paint(path)
		for range 6 {
			kill(w, way, path, time.Duration(rand.IntN(40))*time.Millisecond)
			if there(w.at("repo/.git/agent-worktrees/task.json")) { // else it had come to its end
				w.run(call{args: []string{"create", "task"}}) // whatever it answers, it clears up
			}
			if !there(path) {
				w.run(call{args: []string{"prune"}})
				w.must("restore", "task")
			}
			if differ := before.differs(w.paint(path)); len(differ) > 0 {
				w.Fatalf("it is otherwise now:\n%s", strings.Join(differ, "\n"))
			}
			if _, err := w.tryGit("repo", "worktree", "list"); err != nil {
				w.Fatal("git cannot list the worktrees")
			}
			w.git(path, "push", "-q", "-u", "origin", "HEAD") // for prune, it is as it was
		}
	})
}

// kill starts a removal and kills it, with all it started, after a while.
func kill(w *world, way, path string, after time.Duration) {
	c := call{args: append(strings.Fields(way), "task")}
	switch way {
	case "prune":
		c.args = []string{"prune"}
	case "hook":
		event, _ := json.Marshal(map[string]string{"hook_event_name": "WorktreeRemove", "worktree_path": path, "cwd": w.at("repo")})
		c = call{args: []string{"hook"}, stdin: string(event)}
	}
	cmd := w.command(c)
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	cmd.Wait()
	timer.Stop()
}

// TestLossGuards: the guards of which no row of the matrix tells.
func TestLossGuards(t *testing.T) {
	everyWay(t, "locked", func(w *world, way string) {
		path := w.landedTree("task")
		w.git("repo", "worktree", "lock", path)
		guarded(w, way, path, "locked")
	})
	everyWay(t, "not_deletable", func(w *world, way string) {
		path := w.landedTree("task")
		trash := w.at("data/agent-worktree/trash")
		os.Mkdir(trash, 0o700)
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700", "trash", trash).CombinedOutput(); err != nil {
			w.Skipf("nothing can be mounted here: %s", out)
		}
		w.Cleanup(func() { exec.Command("umount", trash).Run() })
		guarded(w, way, path, "not_deletable")
		if way == "remove" {
			w.must("remove", "--discard", "task")
			if there(path) {
				w.Error("--discard did not delete it in place")
			}
		}
	})
	everyWay(t, "not_deletable by mode", func(w *world, way string) {
		if os.Geteuid() == 0 {
			w.Skip("no mode stops root")
		}
		path := w.landedTree("task")
		os.Chmod(path, 0o555)
		w.Cleanup(func() { os.Chmod(path, 0o755) })
		guarded(w, way, path, "not_deletable")
	})
	everyWay(t, "git cannot tell", func(w *world, way string) {
		path := w.landedTree("task")
		if err := os.WriteFile(filepath.Join(adminOf(w, path), "index"), []byte("broken"), 0o644); err != nil {
			w.Fatal(err)
		}
		if forced(way) {
			if code, a := w.takeAway(way, "task", path); code != "" || there(path) {
				w.Errorf("%s", a)
			}
			return
		}
		guarded(w, way, path, "dirty")
	})
}

// guarded: the way refuses with that code, and nothing changes.
func guarded(w *world, way, path, code string) {
	w.Helper()
	data, _ := os.ReadFile(filepath.Join(path, "work-task"))
	got, a := w.takeAway(way, "task", path)
	if got != code {
		w.Errorf("%q; want %s\n%s", got, code, a)
	}
	holds(w, filepath.Join(path, "work-task"), string(data))
	if left, _ := filepath.Glob(w.at("data/agent-worktree/trash/*/*")); len(left) > 0 {
		w.Errorf("the trash has %v", left)
	}
}
