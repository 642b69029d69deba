package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// indexed is a repository with enough files for every length of padding, and a way to
// run git in it.
func indexed(t *testing.T, format string) (dir string, run func(args ...string) string) {
	t.Helper()
	dir = t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x"}
	run = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "--object-format="+format)
	name := "d/"
	for i := range 40 {
		name += strconv.Itoa(i % 10)
		os.MkdirAll(filepath.Join(dir, "d"), 0o755)
		os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644)
	}
	os.Symlink("x", filepath.Join(dir, "link"))
	run("add", ".")
	run("commit", "-qm", "x")
	return dir, run
}

func TestPlainIndex(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		size := map[string]int{"sha1": 20, "sha256": 32}[format]
		for _, version := range []string{"2", "3", "4"} {
			for name, c := range map[string]struct {
				do    func(run func(...string) string)
				plain bool
			}{
				"plain":     {func(run func(...string) string) {}, true},
				"intent":    {func(run func(...string) string) { run("rm", "-q", "--cached", "d/0"); run("add", "-N", "d/0") }, true},
				"assumed":   {func(run func(...string) string) { run("update-index", "--assume-unchanged", "d/01234") }, false},
				"skipped":   {func(run func(...string) string) { run("update-index", "--skip-worktree", "link") }, false},
				"gitlink":   {gitlinked, false},
				"split":     {func(run func(...string) string) { run("update-index", "--split-index") }, false},
				"untracked": {func(run func(...string) string) { run("update-index", "--force-untracked-cache"); run("status") }, true},
			} {
				t.Run(format+"/"+version+"/"+name, func(t *testing.T) {
					t.Parallel()
					dir, run := indexed(t, format)
					run("update-index", "--index-version", version)
					c.do(run)
					index := filepath.Join(dir, ".git", "index")
					if got := plainIndex(index, size); got != c.plain {
						t.Errorf("plain %v, want %v", got, c.plain)
					}
					if plainIndex(index, 52-size) {
						t.Error("plain by the other hash")
					}
					if c.plain {
						truncated(t, index, size)
					}
				})
			}
		}
	}
}

func gitlinked(run func(...string) string) {
	run("update-index", "--add", "--cacheinfo", "160000,"+run("rev-parse", "HEAD")+",sub")
}

// truncated checks that no damaged index is taken for a plain one, nor panics. Cut at
// an extension's end what is left does add up, and git takes it too.
func truncated(t *testing.T, index string, size int) {
	t.Helper()
	data, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		ends := n >= size && slices.Contains([]string{"TREE", "UNTR"}, tag(data, n-size))
		if plainBytes(data[:n], size) && !ends {
			t.Fatalf("an index cut at %d of %d bytes is plain", n, len(data))
		}
	}
}

// tag is the four letters at that place.
func tag(data []byte, at int) string { return string(data[at:min(at+4, len(data))]) }

func TestFlaggedEntries(t *testing.T) {
	dir, run := indexed(t, "sha1")
	gitlinked(run)
	run("update-index", "--assume-unchanged", "d/0")
	run("update-index", "--skip-worktree", "d/01")
	run("update-index", "--assume-unchanged", "d/01")
	g := New(os.Environ(), os.Stderr, false)
	list, err := g.FlaggedEntries(context.Background(), dir, filepath.Join(dir, ".git"), 20)
	if err != nil || len(list) != 3 {
		t.Fatalf("%v %v", list, err)
	}
	want := []Flagged{
		{Path: "d/0", Assumed: true}, {Path: "d/01", Assumed: true, Skipped: true}, {Path: "sub", Mode: ModeGitlink},
	}
	for i, f := range list {
		if f.Path != want[i].Path || f.Assumed != want[i].Assumed || f.Skipped != want[i].Skipped || !IsID(f.ID) {
			t.Errorf("%+v, want %+v", f, want[i])
		}
	}
}

func TestIgnored(t *testing.T) {
	dir, run := indexed(t, "sha1")
	os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.x/\n:odd\n"), 0o644)
	for _, d := range []string{"a.x", ":odd", "[a].x", "b"} {
		os.Mkdir(filepath.Join(dir, d), 0o755)
	}
	run("add", ".gitignore")
	g := New(os.Environ(), os.Stderr, false)
	got, err := g.Ignored(context.Background(), dir, filepath.Join(dir, ".git"), []string{"a.x", ":odd", "[a].x", "b", "a.x/deep"})
	if err != nil || len(got) != 4 || got["b"] || !got[":odd"] || !got["a.x/deep"] {
		t.Errorf("%v %v", got, err)
	}
}
