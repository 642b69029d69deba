package include

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
)

// A scene is a primary checkout and a linked worktree of it.
type scene struct {
	t                 *testing.T
	primary, worktree string
	git               *git.Git
	env               []string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	root := t.TempDir()
	s := &scene{t: t, primary: filepath.Join(root, "primary"), worktree: filepath.Join(root, "store", "task")}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "XDG_CONFIG_HOME=" + root,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	s.git = git.New(s.env, io.Discard, false)
	if err := os.Mkdir(s.primary, 0o755); err != nil {
		t.Fatal(err)
	}
	s.run(s.primary, "init", "-q", "-b", "main")
	s.file(s.primary, ".gitignore", ".env*\nsecret/\nnode_modules/\n*.log\n")
	s.file(s.primary, "src/main.go", "package main\n")
	s.commit()
	return s
}

func (s *scene) commit() {
	s.t.Helper()
	s.run(s.primary, "add", "-A")
	s.run(s.primary, "commit", "-q", "-m", "x")
}

func (s *scene) add() {
	s.t.Helper()
	s.run(s.primary, "worktree", "add", "-q", "-b", "task", s.worktree)
}

func (s *scene) run(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s *scene) file(dir, name, text string) {
	s.t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) bring() Result {
	s.t.Helper()
	result, err := Bring(context.Background(), s.git, s.primary, s.worktree)
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// want holds the worktree's untracked and ignored files to a list.
func (s *scene) want(names ...string) {
	s.t.Helper()
	out := s.run(s.worktree, "ls-files", "-z", "--others")
	got := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		s.t.Errorf("in the worktree %q; want %q", got, names)
	}
}

func TestBring(t *testing.T) {
	s := newScene(t)
	for _, name := range []string{".env", ".env.local", "secret/a/key", "secret/b", "node_modules/x/.env", "node_modules/x/i.js",
		"odd\nname.log", "später.log", "plain.txt", "src/deep/trace.log"} {
		s.file(s.primary, name, name)
	}
	s.file(s.primary, File, "# mine\r\n.env*\r\n!.env.local\r\nsecret/a\n*.log\nplain.txt\nsrc/main.go\n")
	s.add()
	if got := s.bring(); got.Brought != 6 || len(got.Failed) != 0 {
		t.Errorf("Bring = %+v; want 6 brought", got)
	}
	s.want(".env", "secret/a/key", "node_modules/x/.env", "odd\nname.log", "später.log", "src/deep/trace.log")
	if got := s.bring(); got.Brought != 0 || len(got.Failed) != 0 {
		t.Errorf("a second Bring = %+v; want nothing", got)
	}
	if got := s.run(s.worktree, "status", "--porcelain"); got != "" {
		t.Errorf("status: %s", got)
	}
}

func TestBringKeepsModeAndTime(t *testing.T) {
	s := newScene(t)
	s.file(s.primary, File, "secret/\n")
	s.file(s.primary, "secret/run", "#!/bin/sh\n")
	old := time.Date(2020, 2, 3, 4, 5, 6, 789, time.UTC)
	source := filepath.Join(s.primary, "secret/run")
	if err := errors.Join(os.Chmod(source, 0o540), os.Chmod(filepath.Dir(source), 0o700), os.Chtimes(source, old, old)); err != nil {
		t.Fatal(err)
	}
	s.add()
	s.bring()
	info, err := os.Stat(filepath.Join(s.worktree, "secret/run"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o540 || !info.ModTime().Equal(old) {
		t.Errorf("got %v %v; want 0540 %v", info.Mode(), info.ModTime(), old)
	}
	if info, _ := os.Stat(filepath.Join(s.worktree, "secret")); info.Mode().Perm() != 0o700 {
		t.Errorf("directory %v; want 0700", info.Mode())
	}
}

func TestBringLeavesAlone(t *testing.T) {
	s := newScene(t)
	s.file(s.primary, File, ".env*\nsecret/\n*.log\n")
	for _, name := range []string{".env", ".env.dir", "secret/a", "secret/b", "logs/x.log", "data.log/y", "t.log"} {
		s.file(s.primary, name, "primary")
	}
	s.add()
	outside := t.TempDir()
	s.file(s.worktree, ".env", "mine")
	s.file(s.worktree, ".env.dir/x", "mine")
	s.file(s.worktree, "secret", "a file where a directory would be")
	s.file(s.worktree, "real/x", "")
	link(t, "nowhere", filepath.Join(s.worktree, "t.log"))
	link(t, outside, filepath.Join(s.worktree, "logs"))
	link(t, "real", filepath.Join(s.worktree, "data.log"))

	if got := s.bring(); got.Brought != 0 || len(got.Failed) != 0 {
		t.Errorf("Bring = %+v; want nothing", got)
	}
	if text, _ := os.ReadFile(filepath.Join(s.worktree, ".env")); string(text) != "mine" {
		t.Errorf(".env is %q", text)
	}
	for _, dir := range []string{outside, filepath.Join(s.worktree, "real")} {
		if entries, _ := os.ReadDir(dir); len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "x" {
			t.Errorf("%s holds %v", dir, entries)
		}
	}
}

// What the worktree's index has is git's, present or not.
func TestBringTouchesNothingTracked(t *testing.T) {
	s := newScene(t)
	s.file(s.primary, ".env.shared", "tracked\n")
	s.file(s.primary, "secret/kept/x", "tracked\n")
	s.file(s.primary, "secret/file", "tracked\n")
	s.run(s.primary, "add", "-f", "-A", ".env.shared", "secret")
	s.run(s.primary, "commit", "-q", "-m", "shared")
	s.add()
	s.run(s.primary, "rm", "-q", "-r", "--cached", ".env.shared", "secret")
	s.run(s.primary, "commit", "-q", "-m", "private")
	for _, path := range []string{"secret/kept", "secret/file"} {
		if err := os.RemoveAll(filepath.Join(s.primary, path)); err != nil {
			t.Fatal(err)
		}
	}
	s.file(s.primary, "secret/kept", "a file where the index has a directory")
	s.file(s.primary, "secret/file/y", "a directory where the index has a file")
	s.file(s.primary, "secret/free", "")
	s.file(s.primary, File, ".env*\nsecret/\n")
	for _, path := range []string{".env.shared", "secret"} {
		if err := os.RemoveAll(filepath.Join(s.worktree, path)); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.bring(); got.Brought != 1 || len(got.Failed) != 0 {
		t.Errorf("Bring = %+v; want secret/free alone", got)
	}
	s.want("secret/free")
}

func TestBringSkipsLinksAndRepositories(t *testing.T) {
	s := newScene(t)
	s.file(s.primary, File, ".env*\nsecret/\n")
	s.file(s.primary, "target", "")
	link(t, "target", filepath.Join(s.primary, ".env"))
	s.file(s.primary, "secret/nested/x", "")
	s.run(filepath.Join(s.primary, "secret/nested"), "init", "-q")
	s.add()
	if got := s.bring(); got.Brought != 0 || len(got.Failed) != 0 {
		t.Errorf("Bring = %+v; want nothing", got)
	}
	s.want()
}

func TestBringCollectsFailures(t *testing.T) {
	s := newScene(t)
	s.file(s.primary, File, ".env*\n")
	s.file(s.primary, ".env", "")
	s.file(s.primary, ".env.blocked", "")
	s.add()
	s.file(s.worktree, unfinished(".env.blocked")+"/in the way", "")
	got := s.bring()
	if got.Brought != 1 || !slices.Equal(got.Failed, []string{".env.blocked: file exists"}) {
		t.Errorf("Bring = %+v", got)
	}
}

// A run that was killed leaves an unfinished file, which the next one replaces.
func TestBringResumes(t *testing.T) {
	s := newScene(t)
	s.file(s.primary, File, ".env*\n")
	s.file(s.primary, ".env", "whole")
	s.add()
	s.file(s.worktree, unfinished(".env"), "ha")
	if got := s.bring(); got.Brought != 1 {
		t.Errorf("Bring = %+v", got)
	}
	s.want(".env")
	if text, _ := os.ReadFile(filepath.Join(s.worktree, ".env")); string(text) != "whole" {
		t.Errorf(".env is %q", text)
	}
}

func TestBringWithoutPatterns(t *testing.T) {
	root := t.TempDir()
	g := git.New([]string{"PATH=/nonexistent"}, io.Discard, false)
	check := func(what string) {
		t.Helper()
		if got, err := Bring(context.Background(), g, root, root); err != nil || got.Brought != 0 {
			t.Errorf("%s: Bring = %+v, %v", what, got, err)
		}
	}
	check("no file")
	link(t, "elsewhere", filepath.Join(root, File))
	check("a link")
	os.Remove(filepath.Join(root, File))
	if err := os.Mkdir(filepath.Join(root, File), 0o755); err != nil {
		t.Fatal(err)
	}
	check("a directory")
}

func TestBringStops(t *testing.T) {
	s := newScene(t)
	s.file(s.primary, File, ".env*\n")
	s.file(s.primary, ".env", "")
	s.add()
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("stop")
	cancel(why)
	if _, err := Bring(ctx, s.git, s.primary, s.worktree); !errors.Is(err, why) {
		t.Errorf("err = %v; want the context's cause", err)
	}
	s.want()
}

func TestGits(t *testing.T) {
	for name, want := range map[string]bool{".git/config": true, "a/.GIT/x": true, "a/.git": true, ".gitignore": false, "a.git/x": false} {
		if got := gits(name); got != want {
			t.Errorf("gits(%q) = %v", name, got)
		}
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}
