package guard_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// origin makes a bare repository with one commit, and returns its path.
func (s *scratch) origin(name string) string {
	s.Helper()
	bare, seed := filepath.Join(s.dir, name+".git"), filepath.Join(s.dir, name+".seed")
	s.git(s.dir, "init", "-q", "--bare", bare)
	s.git(s.dir, "init", "-q", seed)
	s.write(name+".seed/f", "f\n")
	s.git(seed, "add", ".")
	s.git(seed, "commit", "-qm", "f")
	s.git(seed, "push", "-q", bare, "main")
	return bare
}

func TestSubmodules(t *testing.T) {
	add := func(s *scratch) {
		s.git(s.Path, "submodule", "--quiet", "add", s.origin("sub"), "sub")
		s.git(s.Path, "commit", "-qm", "sub")
	}
	gitlink := func(s *scratch) {
		s.git(s.Path, "update-index", "--add", "--cacheinfo", "160000,"+s.git(s.Path, "rev-parse", "HEAD")+",sub")
		s.git(s.Path, "commit", "-qm", "sub")
	}
	for name, c := range map[string]struct {
		do   func(s *scratch)
		want []refuse.Code
	}{
		"initialised": {add, []refuse.Code{refuse.Submodules}},
		"ignored by configuration, with commits of its own": {func(s *scratch) {
			add(s)
			s.git(s.Path, "config", "submodule.sub.ignore", "all")
			s.git(s.Path, "config", "diff.ignoreSubmodules", "all")
			s.git(s.at("sub"), "commit", "-q", "--allow-empty", "-m", "only")
		}, []refuse.Code{refuse.Submodules}},
		"deinitialised": {func(s *scratch) {
			add(s)
			s.git(s.Path, "submodule", "--quiet", "deinit", "--force", "sub")
		}, []refuse.Code{refuse.Submodules}},
		"never initialised": {func(s *scratch) {
			add(s)
			s.git(s.repo.Primary, "worktree", "add", "-q", "--detach", s.Path+"2", "task-a")
			s.Path += "2"
			s.Admin = git.Link(s.Path)
		}, nil},
		"gitlink without .gitmodules": {func(s *scratch) { gitlink(s); os.Mkdir(s.at("sub"), 0o755) }, nil},
		"gitlink to a repository of its own": {func(s *scratch) {
			gitlink(s)
			s.git(s.Path, "clone", "-q", s.Path, s.at("sub"))
			s.git(s.at("sub"), "checkout", "-q", "HEAD~1")
		}, []refuse.Code{refuse.Submodules}},
		"gitlink with a loose file": {func(s *scratch) { gitlink(s); s.put("sub/f", "x") }, []refuse.Code{refuse.Submodules}},
		"only .gitmodules":          {func(s *scratch) { s.commit(".gitmodules", "[submodule \"x\"]\n\tpath = x\n") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			c.do(s)
			a := s.ask()
			s.want(a, c.want...)
			if len(c.want) > 0 {
				r := a.Refusals[len(a.Refusals)-1]
				if !strings.Contains(r.Resolve, "remove --force task-a") || !strings.Contains(r.Resolve, "trash") {
					t.Errorf("resolve %q", r.Resolve)
				}
			}
			if name == "ignored by configuration, with commits of its own" {
				return // there git cannot follow the submodule's links
			}
			if s.want(s.forced()); s.forced().First(true) != nil {
				t.Error("--force overrides submodules")
			}
		})
	}
}

func TestNestedRepository(t *testing.T) {
	clone := func(s *scratch, at string) { s.git(s.dir, "clone", "-q", s.origin("inner"), s.at(at)) }
	commit := func(s *scratch, at string) { s.git(s.at(at), "commit", "-q", "--allow-empty", "-m", "only here") }
	for name, c := range map[string]struct {
		do   func(s *scratch)
		work bool
	}{
		"pushed":     {func(s *scratch) { clone(s, "ignored/n") }, false},
		"no commit":  {func(s *scratch) { s.git(s.Path, "init", "-q", "ignored/n") }, false},
		"no remote":  {func(s *scratch) { s.git(s.Path, "init", "-q", "ignored/n"); commit(s, "ignored/n") }, true},
		"own commit": {func(s *scratch) { clone(s, "ignored/deep/er/n"); commit(s, "ignored/deep/er/n") }, true},
		"pushed commit": {func(s *scratch) {
			clone(s, "ignored/n")
			commit(s, "ignored/n")
			s.git(s.at("ignored/n"), "push", "-q")
		}, false},
		"changed":   {func(s *scratch) { clone(s, "ignored/n"); s.put("ignored/n/f", "x") }, true},
		"untracked": {func(s *scratch) { clone(s, "ignored/n"); s.put("ignored/n/g", "x") }, true},
		"detached commit": {func(s *scratch) {
			clone(s, "ignored/n")
			s.git(s.at("ignored/n"), "checkout", "-q", "--detach")
			commit(s, "ignored/n")
		}, true},
		"other branch": {func(s *scratch) {
			clone(s, "ignored/n")
			s.git(s.at("ignored/n"), "checkout", "-q", "-b", "b")
			commit(s, "ignored/n")
			s.git(s.at("ignored/n"), "checkout", "-q", "main")
		}, true},
		"stash": {func(s *scratch) {
			clone(s, "ignored/n")
			s.put("ignored/n/f", "x")
			s.git(s.at("ignored/n"), "stash", "-q")
		}, true},
		"broken":       {func(s *scratch) { clone(s, "ignored/n"); os.Remove(s.at("ignored/n/.git/HEAD")) }, true},
		"dangling":     {func(s *scratch) { s.put("ignored/n/.git", "gitdir: /nowhere\n") }, true},
		"empty .git":   {func(s *scratch) { os.MkdirAll(s.at("ignored/n/.git"), 0o755) }, false},
		"in a pattern": {func(s *scratch) { s.git(s.Path, "init", "-q", "n.log"); commit(s, "n.log") }, true},
		"in a tracked directory": {func(s *scratch) {
			s.git(s.at("lib"), "init", "-q")
			s.git(s.at("lib"), "add", ".")
			s.git(s.at("lib"), "commit", "-qm", "x")
		}, true},
		"through a link": {func(s *scratch) {
			s.git(s.dir, "init", "-q", "outside")
			s.git(filepath.Join(s.dir, "outside"), "commit", "-q", "--allow-empty", "-m", "x")
			os.MkdirAll(s.at("ignored"), 0o755)
			os.Symlink(filepath.Join(s.dir, "outside"), s.at("ignored/out"))
		}, false},
		"bare": {func(s *scratch) { s.git(s.Path, "clone", "-q", "--bare", s.repo.Primary, s.at("ignored/b.git")) }, true},
		"bare and tracked": {func(s *scratch) {
			s.git(s.Path, "init", "-q", "--bare", "fixture.git")
			for _, d := range []string{"branches", "objects/info", "objects/pack", "refs/heads", "refs/tags"} {
				s.put("fixture.git/"+d+"/keep", "")
			}
			s.commit("fixture.git/refs/heads/main", strings.Repeat("1", 40)+"\n")
		}, false},
		"worktree of another repository": {func(s *scratch) {
			s.git(s.dir, "init", "-q", "outside")
			s.git(filepath.Join(s.dir, "outside"), "commit", "-q", "--allow-empty", "-m", "x")
			s.git(filepath.Join(s.dir, "outside"), "worktree", "add", "-q", "-b", "b", s.at("ignored/w"))
		}, false},
		"worktree of another repository, detached": {func(s *scratch) {
			s.git(s.dir, "init", "-q", "outside")
			s.git(filepath.Join(s.dir, "outside"), "commit", "-q", "--allow-empty", "-m", "x")
			s.git(filepath.Join(s.dir, "outside"), "worktree", "add", "-q", "--detach", s.at("ignored/w"))
			commit(s, "ignored/w")
		}, true},
		"with a monitor": {func(s *scratch) {
			clone(s, "ignored/n")
			s.write("monitor", "#!/bin/sh\ntouch \"$HOME/canary\"\nprintf 'token\\0'\n")
			os.Chmod(filepath.Join(s.dir, "monitor"), 0o755)
			s.git(s.at("ignored/n"), "config", "core.fsmonitor", filepath.Join(s.dir, "monitor"))
			s.put("ignored/n/g", "x")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			c.do(s)
			if got := s.git(s.Path, "status", "--porcelain"); got != "" {
				t.Fatalf("git shows it: %s", got)
			}
			want := []refuse.Code{}
			if c.work {
				want = append(want, refuse.NestedRepository)
			}
			a := s.ask()
			s.want(a, want...)
			if c.work {
				table := fact(a.Refusals[0], "repositories").(refuse.Table)
				if len(table.Rows) != 1 || len(table.Rows[0]) != len(table.Columns) {
					t.Errorf("rows %v", table.Rows)
				}
			}
			busy := guard.Repositories(t.Context(), s.repo.Git, s.at("ignored"))
			if inside := c.work && name != "in a pattern" && name != "in a tracked directory"; (len(busy) > 0) != inside {
				t.Errorf("repositories %v", busy)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "canary")); err == nil {
				t.Error("the nested repository's monitor ran")
			}
			s.want(s.forced())
			if name == "worktree of another repository" {
				return
			}
			s.toTrash()
			s.want(s.ask(), want...)
		})
	}
}

func TestNestedRepositoriesTogether(t *testing.T) {
	s := newScratch(t)
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		s.git(s.Path, "init", "-q", "ignored/"+n)
		s.git(s.at("ignored/"+n), "commit", "-q", "--allow-empty", "-m", "x")
	}
	r := s.want(s.ask(), refuse.NestedRepository)
	if !strings.HasPrefix(r.Message, "worktree task-a has 5 repositories with work of their own inside it: ignored/") {
		t.Errorf("message %q", r.Message)
	}
}

func TestNestedWorktree(t *testing.T) {
	s := newScratch(t)
	inner := s.at("ignored/inner")
	s.git(s.repo.Primary, "worktree", "add", "-q", "-b", "inner", inner)
	s.Others = []string{s.repo.Primary, inner}
	r := s.want(s.ask(), refuse.NestedWorktree)
	if got := fact(r, "worktrees").([]string); !slices.Equal(got, []string{inner}) {
		t.Errorf("worktrees %v", got)
	}
	s.want(s.forced(), refuse.NestedWorktree)
	if !isRefusal(s.forced().First(true), refuse.NestedWorktree) {
		t.Error("--force overrides it")
	}
	alias := filepath.Join(s.dir, "alias")
	os.Symlink(s.Path, alias)
	s.Others = []string{filepath.Join(alias, "ignored/inner")}
	s.want(s.ask(), refuse.NestedWorktree)

	s.Others = []string{inner}
	s.toTrash()
	s.want(s.forced(), refuse.NestedWorktree)
	os.Rename(s.At, s.Path)
	s.At = ""
	s.shell(r.Resolve)
	s.want(s.ask())
	// Siblings whose names begin alike are not inside.
	os.Mkdir(s.Path+"-b", 0o755)
	s.Others = []string{s.Path + "-b", filepath.Dir(s.Path), s.at("gone"), s.Path}
	s.want(s.ask())
}

func TestLocked(t *testing.T) {
	s := newScratch(t)
	s.git(s.repo.Primary, "worktree", "lock", "--reason", "agent (pid 999999999)", s.Path)
	s.Locked, s.Reason = true, "agent (pid 999999999)"
	s.put("new", "x")
	r := s.want(s.ask(), refuse.Locked, refuse.Dirty)
	if r.Message != "worktree task-a is locked: agent (pid 999999999)" || fact(r, "pid") != 999999999 || fact(r, "alive") != false {
		t.Errorf("%q %v", r.Message, r.Meta)
	}
	if !isRefusal(s.forced().First(true), refuse.Locked) {
		t.Error("--force overrides a lock")
	}
	s.shell(r.Resolve)
	s.Reason = "Pid: 1\x1b[31m"
	r = s.want(s.forced(), refuse.Locked)
	if fact(r, "alive") != true || strings.Contains(r.Message, "\x1b") {
		t.Errorf("%q %v", r.Message, r.Meta)
	}
	s.Reason = "rapid 12"
	if r = s.want(s.forced(), refuse.Locked); fact(r, "pid") != nil {
		t.Errorf("%v", r.Meta)
	}
	s.Reason = ""
	if r = s.want(s.forced(), refuse.Locked); r.Message != "worktree task-a is locked" || fact(r, "reason") != "" {
		t.Errorf("%q %v", r.Message, r.Meta)
	}
}

func TestForcedStartsNoGit(t *testing.T) {
	s := newScratch(t)
	s.put("n", "x")
	if n := s.starts(func() { s.forced() }); n != 0 {
		t.Errorf("%d git calls", n)
	}
	// A tree that holds nothing flagged needs no second look at the index.
	if n := s.starts(func() { s.ask() }); n != 1 {
		t.Errorf("%d git calls for a dirty tree", n)
	}
}

func TestForcedRows(t *testing.T) {
	for code, want := range map[refuse.Code]bool{
		refuse.Dirty: true, refuse.Submodules: true, refuse.NestedRepository: true,
		refuse.NestedWorktree: false, refuse.MountInside: false, refuse.Locked: false, refuse.NotDeletable: false,
	} {
		if guard.Forced(code) != want {
			t.Errorf("%s: %v", code, !want)
		}
	}
}
