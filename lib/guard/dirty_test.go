package guard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/refuse"
)

func TestClean(t *testing.T) {
	s := newScratch(t)
	s.put("ignored/cache", "x")
	s.put("a.log", "x")
	n := s.starts(func() { s.want(s.ask()) })
	if n != 1 {
		t.Errorf("a clean tree took %d git calls, want 1", n)
	}
	if a := s.ask(); a.Head == "" || a.Status.Branch != "task-a" || !a.Clean() || a.First(false) != nil {
		t.Errorf("answer %+v", a)
	}
	s.toTrash()
	s.want(s.ask())
}

func TestDirty(t *testing.T) {
	hook := "#!/bin/sh\ntouch \"$HOME/canary\"\nprintf 'token\\0'\n"
	for name, config := range map[string][]string{
		"plain":     nil,
		"untracked": {"status.showUntrackedFiles", "no"},
		"fsmonitor": {"core.fsmonitor", "hook"},
		"cache":     {"core.untrackedCache", "true"},
		"relative":  {"status.relativePaths", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			if config != nil {
				if config[0] == "core.fsmonitor" {
					s.write("monitor", hook)
					os.Chmod(filepath.Join(s.dir, "monitor"), 0o755)
					config[1] = filepath.Join(s.dir, "monitor")
				}
				s.git(s.repo.Primary, "config", config[0], config[1])
			}
			s.put("a.txt", "other\n")
			s.put("new.txt", "x")
			s.put("deep/new.txt", "x")
			r := s.want(s.ask(), refuse.Dirty)
			want := "worktree task-a has 1 modified and 2 untracked files: a.txt, deep/new.txt, new.txt"
			if r.Message != want {
				t.Errorf("message %q, want %q", r.Message, want)
			}
			if fact(r, "modified") != 1 || fact(r, "untracked") != 2 || len(fact(r, "files").([]string)) != 3 {
				t.Errorf("meta %v", r.Meta)
			}
			if !strings.HasSuffix(r.Resolve, "or run agent-worktree remove --force task-a") {
				t.Errorf("resolve %q", r.Resolve)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "canary")); err == nil {
				t.Error("the file-system monitor ran")
			}
			s.toTrash()
			s.want(s.ask(), refuse.Dirty)
		})
	}
}

func TestDirtyKinds(t *testing.T) {
	for name, change := range map[string]func(s *scratch){
		"staged":  func(s *scratch) { s.put("a.txt", "x"); s.git(s.Path, "add", "a.txt") },
		"deleted": func(s *scratch) { os.Remove(s.at("a.txt")) },
		"renamed": func(s *scratch) { s.git(s.Path, "mv", "a.txt", "z.txt") },
		"linked":  func(s *scratch) { os.Remove(s.at("a.txt")); os.Symlink("b.txt", s.at("a.txt")) },
		"removed from the index": func(s *scratch) {
			s.git(s.Path, "rm", "-q", "--cached", "b.txt")
		},
		"intent": func(s *scratch) { s.put("n", "x"); s.git(s.Path, "add", "-N", "n") },
		"untracked repository": func(s *scratch) {
			s.git(s.Path, "init", "-q", "inner")
			s.git(s.at("inner"), "commit", "-q", "--allow-empty", "-m", "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			change(s)
			s.want(s.ask(), refuse.Dirty)
			if a := s.ask(); a.Clean() || !isRefusal(a.First(false), refuse.Dirty) || a.First(true) != nil {
				t.Error("dirty is what only --force overrides")
			}
			s.want(s.forced())
		})
	}
}

func TestDirtyNames(t *testing.T) {
	s := newScratch(t)
	s.Force = true
	for _, n := range []string{"1", "2", "3", "4\x1b[2J", "5", "6", "7", "8", "9", "10", "11", "12"} {
		s.put("n"+n, "x")
	}
	r := s.want(s.ask(), refuse.Dirty)
	if want := "worktree task-a has 12 untracked files: n1, n10, n11, …"; r.Message != want {
		t.Errorf("message %q, want %q", r.Message, want)
	}
	if n := len(fact(r, "files").([]string)); n != 10 {
		t.Errorf("%d files, want 10", n)
	}
	if strings.Contains(r.Resolve, "--force") {
		t.Errorf("resolve offers what was done: %q", r.Resolve)
	}
}

// A question that fails is no answer.
func TestUnjudged(t *testing.T) {
	for name, damage := range map[string]func(s *scratch){
		"index":  func(s *scratch) { s.write("main/.git/worktrees/task-a/index", "junk") },
		"HEAD":   func(s *scratch) { s.write("main/.git/worktrees/task-a/HEAD", "junk") },
		"object": func(s *scratch) { os.RemoveAll(filepath.Join(s.repo.Common, "objects")) },
		"config": func(s *scratch) { s.write("main/.git/config", "[junk") },
		"filter": func(s *scratch) {
			s.write("main/.git/info/attributes", "*.txt filter=gone\n")
			s.git(s.repo.Primary, "config", "filter.gone.clean", "/nonexistent/filter")
			s.git(s.repo.Primary, "config", "filter.gone.required", "true")
			s.put("a.txt", "eno\n") // the same size, or git need not look
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			damage(s)
			a := s.ask()
			r := s.want(a, refuse.Dirty)
			if name != "filter" && (a.Failed == nil || fact(r, "reason") == nil) {
				t.Errorf("failed %v, meta %v", a.Failed, r.Meta)
			}
			s.want(s.forced())
		})
	}
}

func TestOperations(t *testing.T) {
	for name, c := range map[string]struct {
		start            func(s *scratch)
		operation, of    string
		message, resolve string
	}{
		"rebase": {start: func(s *scratch) {
			s.env = append(s.env, "GIT_SEQUENCE_EDITOR=sed -i s/^pick/edit/", "GIT_EDITOR=true")
			s.commit("a.txt", "x")
			s.git(s.Path, "rebase", "-q", "-i", "HEAD~1")
		}, operation: "rebase", of: "task-a",
			message: "worktree task-a is in the middle of a rebase of task-a", resolve: "rebase --continue"},
		"apply": {start: func(s *scratch) {
			s.diverge()
			s.try(s.Path, "rebase", "--apply", "main")
			s.git(s.Path, "checkout", "-q", "--force", "HEAD") // a clean tree, still under way
		}, operation: "rebase", of: "task-a"},
		"detached": {start: func(s *scratch) {
			s.env = append(s.env, "GIT_SEQUENCE_EDITOR=sed -i s/^pick/edit/", "GIT_EDITOR=true")
			s.commit("a.txt", "x")
			s.git(s.Path, "checkout", "-q", "--detach")
			s.git(s.Path, "rebase", "-q", "-i", "HEAD~1")
		}, operation: "rebase"},
		"merge": {start: func(s *scratch) {
			s.diverge()
			s.git(s.Path, "merge", "-q", "-s", "ours", "--no-commit", "main")
		}, operation: "merge", resolve: "merge --abort"},
		"cherry-pick": {start: func(s *scratch) {
			s.diverge()
			s.try(s.Path, "cherry-pick", "main")
			s.git(s.Path, "checkout", "-q", "--force", "HEAD", "--", ".")
		}, operation: "cherry-pick"},
		"revert": {start: func(s *scratch) {
			s.commit("a.txt", "x")
			s.git(s.Path, "revert", "--no-commit", "HEAD")
			s.git(s.Path, "checkout", "-q", "--force", "HEAD", "--", ".")
		}, operation: "revert"},
		"cherry-picks": {start: func(s *scratch) {
			s.diverge()
			s.write("main/n", "x")
			s.git(s.repo.Primary, "add", ".")
			s.git(s.repo.Primary, "commit", "-qm", "n")
			s.try(s.Path, "cherry-pick", "main~1", "main")
			s.git(s.Path, "commit", "-qam", "met") // the second is still to come
		}, operation: "cherry-pick"},
		"reverts": {start: func(s *scratch) {
			s.commit("a.txt", "x")
			s.commit("a.txt", "y")
			s.commit("a.txt", "z")
			s.try(s.Path, "revert", "--no-edit", "HEAD~1", "HEAD~2")
			s.git(s.Path, "commit", "-qam", "met", "--allow-empty")
		}, operation: "revert"},
		"am": {start: func(s *scratch) {
			s.diverge()
			patch := s.git(s.repo.Primary, "format-patch", "-1", "--stdout", "main")
			s.write("patch", patch+"\n")
			s.try(s.Path, "am", "-q", filepath.Join(s.dir, "patch"))
		}, operation: "am", message: "worktree task-a is in the middle of an am", resolve: "am --abort"},
		"bisect": {start: func(s *scratch) {
			s.commit("a.txt", "x")
			s.commit("a.txt", "y")
			s.git(s.Path, "bisect", "start", "HEAD", "HEAD~2")
		}, operation: "bisect", of: "task-a", resolve: "bisect reset"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			c.start(s)
			a := s.ask()
			r := s.want(a, refuse.Dirty)
			if a.Operation != c.operation || a.Rebasing != c.of || fact(r, "operation") != c.operation {
				t.Errorf("operation %q of %q, meta %v", a.Operation, a.Rebasing, r.Meta)
			}
			if !strings.HasPrefix(r.Message, c.message) || !strings.Contains(r.Resolve, c.resolve) {
				t.Errorf("%q; %q", r.Message, r.Resolve)
			}
			if f := s.forced(); f.Operation != c.operation || f.First(true) != nil {
				t.Errorf("forced: %+v", f)
			}
			s.toTrash()
			s.want(s.ask(), refuse.Dirty)
		})
	}
}

// commit commits a file in the worktree.
func (s *scratch) commit(path, text string) {
	s.Helper()
	s.put(path, text)
	s.git(s.Path, "add", "-A")
	s.git(s.Path, "commit", "-qm", text)
}

// diverge makes main and task-a conflict.
func (s *scratch) diverge() {
	s.Helper()
	s.commit("a.txt", "mine\n")
	s.write("main/a.txt", "theirs\n")
	s.git(s.repo.Primary, "commit", "-qam", "theirs")
}

func TestAskTree(t *testing.T) {
	s := newScratch(t)
	s.Locked = true
	a := guard.AskTree(t.Context(), s.repo, s.Subject)
	s.want(a)
	s.put("n", "x")
	s.want(guard.AskTree(t.Context(), s.repo, s.Subject), refuse.Dirty)
}
