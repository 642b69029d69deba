package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitStarts pins how many git processes each verb starts, by the tools' own trace:
// each is a few milliseconds, and they creep in unseen. Less is welcome; then lower the
// number here.
func TestGitStarts(t *testing.T) {
	c := newCounter(t)
	c.sh(`git init -q . && echo one >file && git add . && git commit -qm one
git init -q --bare ../origin.git && git remote add origin "$PWD/../origin.git" && git push -qu origin main
aw-create ready >/dev/null`)
	for _, test := range []struct {
		name string
		args []string
		want int
	}{
		{"path", []string{"aw-path", "ready"}, 0},
		{"version", []string{"aw-create", "--version"}, 0},
		{"help", []string{"aw-create", "--help"}, 0},
		{"create when ready", []string{"aw-create", "ready"}, 0},
		{"ls", []string{"aw-ls"}, 1},
		{"ls --full", []string{"aw-ls", "--full"}, 1},
		{"create --from", []string{"aw-create", "--from", "HEAD", "a"}, 4},
		{"create, nothing new on origin", []string{"aw-create", "b"}, 6},
		{"remove --keep-branch", []string{"aw-remove", "--keep-branch", "a"}, 4},
		{"remove, landed on origin", []string{"aw-remove", "b"}, 9},
		{"prune, nothing to do", []string{"aw-prune"}, 4},
	} {
		if got := c.starts(test.args...); got > test.want {
			t.Errorf("%s starts git %d times; want at most %d", test.name, got, test.want)
		} else if got < test.want {
			t.Logf("%s starts git %d times, of %d that it may", test.name, got, test.want)
		}
	}
}

// TestGitStartsDoNotGrow holds the number of git processes of a listing and of a prune's
// judgement to be the same however many worktrees there are, removals aside.
func TestGitStartsDoNotGrow(t *testing.T) {
	c := newCounter(t)
	c.sh(`git init -q . && echo one >file && git add . && git commit -qm one
git init -q --bare ../origin.git && git remote add origin "$PWD/../origin.git" && git push -qu origin main`)
	make := func(from, to int) {
		c.sh(fmt.Sprintf(`seq -f w%%g %d %d | aw-create - >/dev/null 2>&1
for w in $(seq -f w%%g %d %d); do p=$(aw-path --plain $w); git -C $p commit -q --allow-empty -m own; git -C $p push -qu origin $w; done`, from, to, from, to))
	}
	make(1, 2)
	ls, landed, prune := c.starts("aw-ls", "--full"), c.starts("aw-ls", "-o", "name,landed"), c.starts("aw-prune", "--merged")
	make(3, 12)
	for _, again := range []struct {
		name      string
		few, many int
	}{
		{"ls --full", ls, c.starts("aw-ls", "--full")},
		{"ls -o name,landed", landed, c.starts("aw-ls", "-o", "name,landed")},
		{"prune --merged", prune, c.starts("aw-prune", "--merged")},
	} {
		if again.many != again.few {
			t.Errorf("%s starts git %d times over 2 worktrees and %d times over 12; want the same", again.name, again.few, again.many)
		}
	}
}

// TestPruneConnections holds a prune of several landed worktrees to one reading of the
// remote, at most one fetch, and one push.
func TestPruneConnections(t *testing.T) {
	c := newCounter(t)
	c.sh(`git init -q . && echo one >file && git add . && git commit -qm one
git init -q --bare ../origin.git && git remote add origin "$PWD/../origin.git" && git push -qu origin main
git clone -q ../origin.git ../colleague
for w in a b c d e; do p=$(aw-create --plain $w 2>/dev/null); git -C $p commit -q --allow-empty -m own; git -C $p push -qu origin $w; done
cd ../colleague && git fetch -q && for w in a b c d e; do git merge -q --no-ff -m $w origin/$w; done && git push -q origin main`)
	out := c.run("sh", "-c", "exec aw-prune")
	for verb, most := range map[string]int{" ls-remote ": 1, " fetch ": 1, " push ": 1} {
		if n := strings.Count(out, verb); n != most {
			t.Errorf("prune of five landed worktrees calls git%s%d times; want %d", verb, n, most)
		}
	}
	if n, most := strings.Count(out, "agent-worktree: trace:"), 36; n > most {
		t.Errorf("prune of five landed worktrees starts git %d times; want at most %d", n, most)
	}
	if left := c.run("git", "ls-remote", "--heads", "origin"); strings.Count(left, "\n") != 1 {
		t.Errorf("origin has after the prune:\n%s\nwant main alone", left)
	}
}

// A counter runs the tools in a scratch repository and counts their git calls.
type counter struct {
	t   *testing.T
	dir string
	env []string
}

func newCounter(t *testing.T) *counter {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{t: t, dir: filepath.Join(dir, "r"), env: []string{
		"HOME=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "data"), "GIT_CONFIG_NOSYSTEM=1",
		"AGENT_WORKTREE_NO_UPDATE_CHECK=1", "AGENT_WORKTREE_TRACE=1",
		"PATH=" + tools(t) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}}
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.sh("git config --global user.name t; git config --global user.email t@example.com; git config --global init.defaultBranch main")
	return c
}

func (c *counter) run(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *counter) sh(script string) { c.t.Helper(); c.run("sh", "-euc", script) }

func (c *counter) starts(args ...string) int {
	c.t.Helper()
	out := c.run("sh", append([]string{"-c", `exec "$@"`, "sh"}, args...)...)
	return strings.Count(out, "agent-worktree: trace:")
}
