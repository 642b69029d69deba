//go:build unix

package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// buildFaulty compiles the tools with the points of lib/fault in them.
var buildFaulty = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "faulty") + string(filepath.Separator)
	if err := os.Mkdir(bin, 0o755); err != nil {
		return "", err
	}
	args := []string{"build", "-tags", "faultinject", "-o", bin}
	for _, verb := range []string{"create", "init", "remove", "restore", "prune", "hook", "ls", "path"} {
		args = append(args, "./cmd/aw-"+verb)
	}
	build := exec.Command("go", args...)
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go %v: %v\n%s", args, err, out)
	}
	return filepath.Clean(bin), nil
})

// faulty returns the directory of the tools that can be made to fail.
func faulty(t testing.TB) string {
	t.Helper()
	bin, err := buildFaulty()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// A world is one clone with its origin, home and store, all below root. It can be put
// back to how it was kept, at the same place, since git's files name absolute paths.
type world struct {
	testing.TB
	root string
	bin  string
	env  []string
	path []string // in front of PATH

	paths map[string]string // of worktrees, by name, where a test keeps them
}

// fast is where worlds are made: in memory where there is such a place, since what is
// tried here is not what a disk survives.
func fast() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return scratch
}

func newWorld(t testing.TB, bin string) *world {
	t.Helper()
	root, err := os.MkdirTemp(fast(), "aw-world-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, root: root, bin: bin}
	t.Cleanup(func() { os.RemoveAll(root); os.RemoveAll(root + ".kept") })
	w.write("home/.gitconfig", gitconfig+"[init]\n\ttemplateDir = \n[core]\n\tfsync = none\n")
	w.env = []string{
		"HOME=" + w.at("home"), "XDG_DATA_HOME=" + w.at("data"), "XDG_STATE_HOME=" + w.at("state"),
		"XDG_CONFIG_HOME=" + w.at("config"), "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"AGENT_WORKTREE_NO_UPDATE_CHECK=1", "TMPDIR=" + root, "WORLD=" + root,
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
	}
	w.write("repo/a.txt", "a\n")
	w.write("repo/b.txt", "b\n")
	w.write("repo/sub/c.txt", "c\n")
	w.write("repo/.gitignore", ".env\nbuilt\ncache/\n")
	w.git("", "init", "-q", w.at("repo"))
	w.git("repo", "add", "-A")
	w.git("repo", "commit", "-q", "-m", "first")
	w.write("repo/.git/worktree-hooks/setup", "#!/bin/sh\necho \"$WORKTREE_PORT\" >built\n")
	w.write("outside/file", "not ours\n")
	return w
}

// at is an absolute path in the world.
func (w *world) at(path string) string { return filepath.Join(w.root, path) }

// write writes a file of the world; one in a hooks folder is a program.
func (w *world) write(path, text string) {
	w.Helper()
	mode := fs.FileMode(0o644)
	if strings.Contains(path, "hooks/") && !strings.HasSuffix(path, "/ports") {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(w.at(path)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.at(path), []byte(text), mode); err != nil {
		w.Fatal(err)
	}
}

// origin gives the clone an origin that has its main, and is one commit ahead of it
// when ahead is true.
func (w *world) origin(ahead bool) {
	w.Helper()
	w.git("", "init", "-q", "--bare", w.at("origin.git"))
	w.git("repo", "remote", "add", "origin", w.at("origin.git"))
	w.git("repo", "push", "-q", "origin", "main")
	if ahead {
		w.git("", "clone", "-q", w.at("origin.git"), w.at("peer"))
		w.write("peer/d.txt", "d\n")
		w.git("peer", "add", "-A")
		w.git("peer", "commit", "-q", "-m", "ahead")
		w.git("peer", "push", "-q", "origin", "main")
	}
}

// environ is the environment of a process in the world.
func (w *world) environ(more ...string) []string {
	path := append(slices.Clone(w.path), w.bin, os.Getenv("PATH"))
	return slices.Concat(w.env, []string{"PATH=" + strings.Join(path, string(filepath.ListSeparator))}, more)
}

// git runs git in a directory of the world, and fails the test when it fails.
func (w *world) git(dir string, args ...string) string {
	w.Helper()
	out, err := w.tryGit(dir, args...)
	if err != nil {
		w.Fatalf("git %v in %s: %v\n%s", args, dir, err, out)
	}
	return out
}

func (w *world) tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("/usr/bin/env", append([]string{"git"}, args...)...)
	cmd.Dir, cmd.Env = w.at(dir), append(slices.Clone(w.env), "PATH="+os.Getenv("PATH"))
	if filepath.IsAbs(dir) {
		cmd.Dir = dir
	}
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

// An answer is how one run of a tool ended.
type answer struct {
	line           string // what ran
	status         int    // -1 when a signal ended it
	signal         syscall.Signal
	stdout, stderr string
	doc            envelope
	whole          bool // doc was there
}

type envelope struct {
	Command string
	OK      bool
	Result  map[string]any
	Error   struct{ Kind, Code, Message, Resolve string }
}

// A call is one run of a tool.
type call struct {
	args  []string // verb and operands
	dir   string   // below the world, or absolute
	stdin string
	env   []string
}

// limit bounds one run: nothing here takes long, so one that does hangs.
const limit = 90 * time.Second

// run runs a tool of the world and waits for it.
func (w *world) run(c call) answer {
	w.Helper()
	cmd := w.command(c)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil { // as where its directory went a moment before
		return answer{line: strings.Join(c.args, " "), status: -2, stderr: err.Error()}
	}
	timer := time.AfterFunc(limit, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	if !timer.Stop() {
		w.Errorf("%v took longer than %s", c.args, limit)
	}
	return ended(c, err, stdout.String(), stderr.String())
}

func (w *world) command(c call) *exec.Cmd {
	args := c.args[1:]
	if c.args[0] != "hook" {
		args = append([]string{"--json"}, args...)
	}
	cmd := exec.Command(filepath.Join(w.bin, "aw-"+c.args[0]), args...)
	cmd.Dir = w.at("repo")
	if c.dir != "" {
		cmd.Dir = c.dir
	}
	cmd.Env = w.environ(c.env...)
	cmd.Stdin = strings.NewReader(c.stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

func ended(c call, err error, stdout, stderr string) answer {
	a := answer{line: strings.Join(c.args, " "), stdout: stdout, stderr: stderr}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		a.status = exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			a.signal = ws.Signal()
		}
	} else if err != nil {
		a.status = -2
	}
	a.parse()
	return a
}

// parse finds the envelope: all of stdout, or the last line of stderr.
func (a *answer) parse() {
	text := a.stdout
	if text == "" {
		lines := strings.Split(strings.TrimRight(a.stderr, "\n"), "\n")
		text = lines[len(lines)-1]
	}
	a.whole = json.Unmarshal([]byte(text), &a.doc) == nil
	if !a.whole && strings.Contains(a.stderr, "\nerror:\n") { // hook's is TOON
		doc := parse(a.stderr)
		a.doc.Error.Code, a.doc.Error.Kind, a.doc.Error.Resolve = doc["error.code"], doc["error.kind"], doc["error.resolve"]
		a.doc.Error.Message, a.whole = doc["error.message"], doc["error.code"] != ""
	}
}

func (a answer) String() string {
	how := fmt.Sprintf("exit %d", a.status)
	if a.signal != 0 {
		how = a.signal.String()
	}
	return fmt.Sprintf("%s: %s\n  stdout: %s\n  stderr: %s", a.line, how, strings.TrimSpace(a.stdout), strings.TrimSpace(a.stderr))
}

// must runs a tool that is to succeed.
func (w *world) must(args ...string) answer {
	w.Helper()
	a := w.run(call{args: args})
	if a.status != 0 {
		w.Fatalf("%s", a)
	}
	return a
}

// place is the path of the worktree of that name.
func (w *world) place(name string) string {
	w.Helper()
	a := w.must("path", name)
	path, _ := a.doc.Result["path"].(string)
	if path == "" {
		w.Fatalf("no path: %s", a)
	}
	return path
}

// keep remembers the world as it is; reset puts it back to that.
func (w *world) keep() {
	w.Helper()
	os.RemoveAll(w.root + ".kept")
	w.copy(w.root, w.root+".kept")
}

func (w *world) reset() {
	w.Helper()
	if err := forceRemove(w.root); err != nil {
		w.Fatal(err)
	}
	w.copy(w.root+".kept", w.root)
}

// forceRemove deletes a tree that a process which is being stopped may still write to.
func forceRemove(path string) (err error) {
	for range 50 {
		if err = os.RemoveAll(path); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// copy copies a tree with its modes, links and times.
func (w *world) copy(from, to string) {
	w.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		switch {
		case d.IsDir():
			return os.Mkdir(target, info.Mode().Perm())
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(text, target))
		}
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(target, data, info.Mode().Perm())
		}
		return errors.Join(err, os.Chtimes(target, info.ModTime(), info.ModTime()))
	})
	if err != nil {
		w.Fatal(err)
	}
}
