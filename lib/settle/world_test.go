package settle

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cniska/agent-worktree/lib/git"
)

// A world is a clone with a real bare origin, in scratch.
type world struct {
	*testing.T
	dir    string // scratch
	clone  string
	origin string
	env    []string
	trace  *trace
}

// trace collects what git calls were made.
type trace struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *trace) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.Write(p)
}

// count is how many calls named the words.
func (t *trace) count(words string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, line := range strings.Split(t.buf.String(), "\n") {
		if strings.Contains(line, words) {
			n++
		}
	}
	return n
}

func newWorld(t *testing.T, initArgs ...string) *world {
	t.Helper()
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: dir, clone: filepath.Join(dir, "clone"), origin: filepath.Join(dir, "origin.git"), trace: &trace{}}
	w.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "AGENT_WORKTREE_TRACE=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
	w.start(initArgs)
	return w
}

// starts are finished clones and origins by how they were initialised, since most
// tests begin alike; each is copied.
var (
	startsMu sync.Mutex
	starts   = map[string]string{}
)

func TestMain(m *testing.M) {
	m.Run()
	for _, dir := range starts {
		os.RemoveAll(dir)
	}
}

func (w *world) start(initArgs []string) {
	w.Helper()
	startsMu.Lock()
	defer startsMu.Unlock()
	key := strings.Join(initArgs, " ")
	if starts[key] == "" {
		dir, err := os.MkdirTemp("", "settle")
		if err != nil {
			w.Fatal(err)
		}
		starts[key] = dir
		origin, clone := filepath.Join(dir, "origin.git"), filepath.Join(dir, "clone")
		w.git(dir, append([]string{"init", "-q", "--template=", "--bare", "-b", "main", origin}, initArgs...)...)
		w.git(dir, append([]string{"init", "-q", "--template=", "-b", "main", clone}, initArgs...)...)
		w.git(clone, "remote", "add", "origin", "../origin.git")
		w.write(clone, "base", "one\ntwo\nthree\n")
		w.commit(clone, "first")
		w.git(clone, "push", "-q", "origin", "main")
		w.git(clone, "fetch", "-q", "origin")
	}
	if err := os.CopyFS(w.dir, os.DirFS(starts[key])); err != nil {
		w.Fatal(err)
	}
	w.git(w.clone, "config", "remote.origin.url", w.origin)
}

// try runs git and gives its output and whether it succeeded.
func (w *world) try(dir string, args ...string) (string, bool) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err == nil
}

func (w *world) git(dir string, args ...string) string {
	w.Helper()
	out, ok := w.try(dir, args...)
	if !ok {
		w.Fatalf("git %s: %s", strings.Join(args, " "), out)
	}
	return out
}

func (w *world) write(dir, name, text string) {
	w.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) commit(dir, message string) string {
	w.Helper()
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "--allow-empty", "-m", message)
	return w.git(dir, "rev-parse", "HEAD")
}

// branch makes a branch at origin's main with two commits of its own in one file, and
// leaves main checked out.
func (w *world) branch(name string) string {
	w.Helper()
	w.git(w.clone, "checkout", "-q", "-b", name, "--no-track", "main")
	file := strings.ReplaceAll(name, "/", "-")
	w.write(w.clone, file, name+" one\n")
	w.commit(w.clone, name+" one")
	w.write(w.clone, file, name+" one\n"+name+" two\n")
	tip := w.commit(w.clone, name+" two")
	w.git(w.clone, "checkout", "-q", "main")
	return tip
}

// pushed is branch, pushed with an upstream.
func (w *world) pushed(name string) string {
	w.Helper()
	tip := w.branch(name)
	w.git(w.clone, "push", "-q", "-u", "origin", "refs/heads/"+name)
	return tip
}

// landed is pushed, and merged into origin's main.
func (w *world) landed(name string) string {
	w.Helper()
	tip := w.pushed(name)
	w.merge("refs/heads/" + name)
	return tip
}

// peer is another clone of origin, up to date, on main.
func (w *world) peer() string {
	w.Helper()
	peer := filepath.Join(w.dir, "peer")
	if _, err := os.Stat(peer); err != nil {
		w.git(w.dir, "clone", "-q", w.origin, peer)
	}
	w.git(peer, "fetch", "-q", "--prune", "origin")
	w.git(peer, "checkout", "-q", "-B", "main", "origin/main")
	return peer
}

// merge merges what this clone has into origin's main, with a merge commit.
func (w *world) merge(ref string) {
	w.Helper()
	peer := w.peer()
	w.git(peer, "fetch", "-q", w.clone, ref)
	w.git(peer, "merge", "-q", "--no-ff", "-m", "merge "+ref, "FETCH_HEAD")
	w.git(peer, "push", "-q", "origin", "main")
}

// squash merges origin's branch into its main as one commit and deletes it there.
func (w *world) squash(name string) string {
	w.Helper()
	peer := w.peer()
	w.git(peer, "merge", "-q", "--squash", "origin/"+name)
	w.git(peer, "commit", "-q", "--allow-empty", "-m", name+" (#1)")
	w.git(peer, "push", "-q", "origin", "main")
	w.git(peer, "push", "-q", "origin", ":refs/heads/"+name)
	return w.git(peer, "rev-parse", "HEAD")
}

// advance adds a commit to origin's main.
func (w *world) advance(file, text string) string {
	w.Helper()
	peer := w.peer()
	w.write(peer, file, text)
	id := w.commit(peer, "advance "+file)
	w.git(peer, "push", "-q", "origin", "main")
	return id
}

func (w *world) judge() *Judge {
	w.Helper()
	common, err := filepath.EvalSymlinks(filepath.Join(w.clone, ".git"))
	if err != nil {
		w.Fatal(err)
	}
	return New(&git.Repo{Git: git.New(w.env, w.trace, false), Primary: w.clone, Common: common})
}

func subjects(names ...string) []Subject {
	var list []Subject
	for _, n := range names {
		list = append(list, Subject{Branch: n})
	}
	return list
}

// verdict judges one branch.
func (w *world) verdict(name string) Verdict {
	w.Helper()
	j := w.judge()
	defer j.Close(context.Background())
	rows, err := j.Judge(context.Background(), subjects(name))
	if err != nil {
		w.Fatal(err)
	}
	return rows[0]
}

// settle judges and settles branches.
func (w *world) settle(names ...string) []Verdict {
	w.Helper()
	return w.settleWith(w.judge(), Options{}, func() {}, names...)
}

// settleWith does something between the judgement and the deletion.
func (w *world) settleWith(j *Judge, o Options, between func(), names ...string) []Verdict {
	w.Helper()
	rows, err := j.Judge(context.Background(), subjects(names...))
	if err != nil {
		w.Fatal(err)
	}
	between()
	rows, err = j.Settle(context.Background(), rows, o)
	if err != nil {
		w.Fatal(err)
	}
	j.Close(context.Background())
	if left := w.git(w.clone, "for-each-ref", "refs/agent-worktree"); left != "" {
		w.Errorf("left after Close: %s", left)
	}
	return rows
}

// want compares the facts that a row prints.
func (w *world) want(v Verdict, outcome, landing, into, remoteBranch string) {
	w.Helper()
	if v.Outcome != outcome || v.Landing != landing || v.Into != into || v.RemoteBranch != remoteBranch {
		w.Errorf("%s: got %q %q %q %q (detail %q, at %q); want %q %q %q %q", v.Branch,
			v.Outcome, v.Landing, v.Into, v.RemoteBranch, v.Detail, v.At, outcome, landing, into, remoteBranch)
	}
}

// has wants the branch to be in the repository, or not to be.
func (w *world) has(dir, branch string, want bool) {
	w.Helper()
	if _, ok := w.try(dir, "rev-parse", "-q", "--verify", "refs/heads/"+branch); ok != want {
		w.Errorf("branch %s in %s: %v; want %v", branch, filepath.Base(dir), ok, want)
	}
}
