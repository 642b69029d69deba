package guard_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// A scratch is a repository with one worktree, task-a, under a HOME of its own.
type scratch struct {
	*testing.T
	dir  string // holds everything
	env  []string
	repo *git.Repo
	out  *log
	guard.Subject
}

// A log is where the traced git calls are seen.
type log struct {
	sync.Mutex
	bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func newScratch(t *testing.T) *scratch {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scratch{T: t, dir: dir, out: &log{}}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "AGENT_WORKTREE_TRACE=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x"}
	s.write(".gitconfig", "[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	main := filepath.Join(dir, "main")
	s.git(dir, "init", "-q", main)
	s.write("main/.gitignore", "ignored/\n*.log\n")
	s.write("main/a.txt", "one\n")
	s.write("main/b.txt", "two\n")
	s.write("main/lib/c.txt", "three\n")
	if err := os.Symlink("a.txt", filepath.Join(main, "link")); err != nil {
		t.Fatal(err)
	}
	s.git(main, "add", ".")
	s.git(main, "commit", "-qm", "first")
	s.Name, s.Path = "task-a", filepath.Join(dir, "data", "key", "task-a")
	s.git(main, "worktree", "add", "-q", "-b", "task-a", s.Path)
	s.Trash = filepath.Join(dir, "data", "trash", "key")
	s.Admin = git.Link(s.Path)
	s.repo = &git.Repo{Git: git.New(s.env, s.out, false), Primary: main, Common: filepath.Join(main, ".git")}
	return s
}

func repoAt(primary string, env []string) *git.Repo {
	return &git.Repo{Git: git.New(env, os.Stderr, false), Primary: primary, Common: filepath.Join(primary, ".git")}
}

// git runs git and returns what it printed.
func (s *scratch) git(dir string, args ...string) string {
	s.Helper()
	out, err := s.try(dir, args...)
	if err != nil {
		s.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

func (s *scratch) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// write makes a file, and its directories, below the scratch directory.
func (s *scratch) write(path, text string) {
	s.Helper()
	path = filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

// put writes a file in the worktree.
func (s *scratch) put(path, text string) {
	s.Helper()
	s.write(filepath.Join("data/key/task-a", path), text)
}

// at is a path in the worktree.
func (s *scratch) at(path string) string { return filepath.Join(s.Path, path) }

func (s *scratch) ask() guard.Answer { return guard.Ask(context.Background(), s.repo, s.Subject) }

func (s *scratch) forced() guard.Answer {
	return guard.AskForced(context.Background(), s.repo, s.Subject)
}

// starts is how many git calls f makes.
func (s *scratch) starts(f func()) int {
	before := strings.Count(s.out.String(), "trace:")
	f()
	return strings.Count(s.out.String(), "trace:") - before
}

// codes are the codes of an answer's refusals.
func codes(a guard.Answer) []refuse.Code {
	list := []refuse.Code{}
	for _, r := range a.Refusals {
		list = append(list, r.Code)
	}
	return list
}

// want checks that exactly those guards refuse, and returns the first refusal.
func (s *scratch) want(a guard.Answer, codesWanted ...refuse.Code) *refuse.Refusal {
	s.Helper()
	if !slices.Equal(codes(a), codesWanted) {
		for _, r := range a.Refusals {
			s.Logf("%s: %s %v", r.Code, r.Message, r.Meta)
		}
		s.Fatalf("refusals %v, want %v (failed: %v)", codes(a), codesWanted, a.Failed)
	}
	if len(a.Refusals) == 0 {
		return nil
	}
	return a.Refusals[0]
}

// fact is the refusal's meta of that key.
func fact(r *refuse.Refusal, key string) any {
	for _, f := range r.Meta {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// toTrash renames the tree away, as a removal does between its questions.
func (s *scratch) toTrash() {
	s.Helper()
	s.At = filepath.Join(s.Trash, "task-a.20260101T000000Z", "tree")
	if err := os.MkdirAll(filepath.Dir(s.At), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.Rename(s.Path, s.At); err != nil {
		s.Fatal(err)
	}
}

func isRefusal(err error, code refuse.Code) bool {
	var r *refuse.Refusal
	return errors.As(err, &r) && r.Code == code
}

// shell runs a command line as a person would who pasted it.
func (s *scratch) shell(line string) {
	s.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = s.repo.Primary, s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s: %v\n%s", line, err, out)
	}
}
