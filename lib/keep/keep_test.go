package keep

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

var noon = time.Date(2026, 11, 30, 20, 15, 0, 0, time.UTC)

// newRequest makes a clone with a linked worktree of branch task and a keep hook of the
// given patterns.
func newRequest(t *testing.T, patterns ...string) Request {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "XDG_CONFIG_HOME=" + root, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	r := Request{
		Git:      git.New(env, io.Discard, false),
		Tree:     filepath.Join(root, "store", "task-a"),
		Patterns: filepath.Join(root, "primary", ".worktree-hooks", "keep"),
		Dest:     filepath.Join(root, "kept"),
		Name:     "task-a", Branch: "task-a",
		Source:  filepath.Join(root, "store", "task-a"),
		Primary: filepath.Join(root, "primary"),
		Home:    root,
		Now:     noon,
	}
	run := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = r.Primary, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	put(t, r.Primary, ".gitignore", ".notes/\n*.env\nnode_modules/\n*.local\n")
	put(t, r.Primary, ".worktree-hooks/keep", strings.Join(patterns, "\n")+"\n")
	if err := os.Mkdir(r.Dest, 0o700); err != nil {
		t.Fatal(err)
	}
	run("init", "-q", "-b", "main")
	run("add", "-A")
	run("commit", "-q", "-m", "x")
	run("worktree", "add", "-q", "-b", "task-a", r.Tree)
	return r
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func archive(t *testing.T, r Request) Entry {
	t.Helper()
	entry, err := Archive(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// refused archives and wants a refusal that names the file.
func refused(t *testing.T, r Request, file, reason string) *refuse.Refusal {
	t.Helper()
	entry, err := Archive(context.Background(), r)
	var refusal *refuse.Refusal
	if !errors.As(err, &refusal) || refusal.Code != refuse.ArchiveFailed {
		t.Fatalf("Archive = %+v, %v; want archive_failed", entry, err)
	}
	want := refuse.Meta{{Key: "name", Value: "task-a"}, {Key: "path", Value: r.Source}, {Key: "file", Value: file}, {Key: "reason", Value: reason}}
	if !slices.Equal(refusal.Meta, want) {
		t.Errorf("meta %v; want %v", refusal.Meta, want)
	}
	empty(t, r)
	return refusal
}

// empty wants nothing at all in the archive, half made or whole.
func empty(t *testing.T, r Request) {
	t.Helper()
	if entries, _ := os.ReadDir(r.Dest); len(entries) != 0 {
		t.Errorf("the archive holds %v", entries)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func manifestOf(t *testing.T, e Entry) manifest {
	t.Helper()
	var m manifest
	if err := json.Unmarshal([]byte(read(t, e.Path, manifestName)), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestArchive(t *testing.T) {
	r := newRequest(t, "# ours", ".notes/", "*.env", "!public.env", "plain.txt")
	secret := "hun" + "ter2"
	put(t, r.Tree, ".notes/a.md", "in "+r.Home+"/x: password: "+secret+"9\n")
	put(t, r.Tree, ".notes/deep/er/b.md", "")
	put(t, r.Tree, ".notes/two\nlines é.md", "x")
	put(t, r.Tree, ".notes/.gitignore", "*")
	put(t, r.Tree, "public.env", "not wanted")
	put(t, r.Tree, "plain.txt", "not ignored")
	put(t, r.Tree, "other.local", "not named")
	link(t, filepath.Join(r.Home, "x"), filepath.Join(r.Tree, ".notes", "link"))
	before := snapshot(t, r.Tree)

	e := archive(t, r)
	if e.Name != "20261130T201500Z-task-a" || e.Path != filepath.Join(r.Dest, e.Name) || e.Files != 4 || e.Links != 1 || e.Left != nil {
		t.Errorf("Archive = %+v", e)
	}
	if got, want := read(t, e.Path, ".notes/a.md"), "in ~/x: password: [redacted:password]\n"; got != want {
		t.Errorf("a.md is %q; want %q", got, want)
	}
	want := []string{".notes/.gitignore", ".notes/a.md", ".notes/deep/er/b.md", ".notes/two\nlines é.md", manifestName}
	if got := files(t, e.Path); !slices.Equal(got, want) {
		t.Errorf("archived %q; want %q", got, want)
	}
	m := manifestOf(t, e)
	if m.SchemaVersion != 1 || m.Worktree != "task-a" || *m.Branch != "task-a" || m.Source != "~/store/task-a" ||
		m.ArchivedAt != "2026-11-30T20:15:00Z" || m.Primary != "~/primary" || len(m.Files) != 5 {
		t.Errorf("manifest %+v", m)
	}
	for _, f := range m.Files {
		if f.Path == ".notes/link" {
			if f.Target != "~/x" || f.Size != nil || f.SHA256 != "" {
				t.Errorf("link %+v", f)
			}
		} else if text := read(t, e.Path, f.Path); *f.Size != int64(len(text)) || f.SHA256 != digest(text) {
			t.Errorf("%+v; the file has %d bytes", f, len(text))
		}
	}
	if after := snapshot(t, r.Tree); after != before {
		t.Error("the worktree changed")
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range files(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(name + info.Mode().String() + info.ModTime().String() + "\n")
	}
	return b.String()
}

func TestArchiveNames(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/a", "x")
	for _, want := range []string{"20261130T201500Z-task-a", "20261130T201500Z-task-a-2", "20261130T201500Z-task-a-3"} {
		if e := archive(t, r); e.Name != want {
			t.Errorf("entry %q; want %q", e.Name, want)
		}
	}
	// A draft that another process has, or left.
	if err := os.Mkdir(filepath.Join(r.Dest, ".20261130T201500Z-task-a-4"), 0o700); err != nil {
		t.Fatal(err)
	}
	if e := archive(t, r); e.Name != "20261130T201500Z-task-a-5" {
		t.Errorf("entry %q", e.Name)
	}
}

func TestArchiveNothing(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, "a.env", "x")
	if e := archive(t, r); e.Path != "" || e.Left != nil {
		t.Errorf("Archive = %+v; want nothing", e)
	}
	put(t, r.Tree, ".notes/a", "x")
	for _, patterns := range []string{"", filepath.Join(r.Primary, "gone")} {
		r.Patterns = patterns
		if e := archive(t, r); e.Path != "" || e.Left != nil {
			t.Errorf("with the hook %q: %+v; want nothing", patterns, e)
		}
	}
	empty(t, r)
}

// The files are asked for where they stand, with the worktree's own admin directory.
func TestArchiveFromTrash(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/a", "x")
	moved := filepath.Join(r.Home, "trash", "tree")
	if err := errors.Join(os.Mkdir(filepath.Dir(moved), 0o700), os.Rename(r.Tree, moved)); err != nil {
		t.Fatal(err)
	}
	r.Tree, r.GitDir, r.Branch = moved, filepath.Join(r.Primary, ".git", "worktrees", "task-a"), ""
	e := archive(t, r)
	if e.Files != 1 {
		t.Errorf("Archive = %+v", e)
	}
	if m := manifestOf(t, e); m.Branch != nil || m.Source != "~/store/task-a" {
		t.Errorf("manifest %+v", m)
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}
