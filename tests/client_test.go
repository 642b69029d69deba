//go:build unix

package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// How the client waits (milliseconds and seconds as read in its packages).
const (
	killAfter  = 1500 * time.Millisecond // from SIGTERM to SIGKILL
	silence    = 500 * time.Millisecond  // of both streams, after the process has ended
	atMost     = 10 * time.Second        // for the streams to close
	gitAnswers = 2 * time.Second
)

// A client stands for Claude Code as it treats the two worktree hooks.
type client struct {
	name   string
	whole  bool // the oldest: all of stdout is the path, and a removal runs inside the worktree
	strict bool // the newest: the path is looked over before it is used
}

var clients = []client{{name: "oldest", whole: true}, {name: "newest", strict: true}}

// A reply is what the client has of one hook.
type reply struct {
	stdout, stderr string
	status         int
	stopped        bool  // by the client
	closed         bool  // both streams, by the process and all it left behind
	input          error // of writing the event
}

// stream collects what a hook prints, and when it last did.
type stream struct {
	mu   sync.Mutex
	text bytes.Buffer
	last time.Time
	done chan struct{}
}

func collect() (*stream, *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	s := &stream{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer r.Close()
		part := make([]byte, 4096)
		for {
			n, err := r.Read(part)
			s.mu.Lock()
			s.text.Write(part[:n])
			s.last = time.Now()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s, w
}

func (s *stream) open() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *stream) quiet(since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(since) > silence && time.Since(s.last) > silence
}

// hook runs the plugin's command as the client does, until stop.
func (c client) hook(t *testing.T, p project, dir string, event map[string]any, stop <-chan struct{}) reply {
	t.Helper()
	text, _ := json.Marshal(event)
	out, outEnd := collect()
	errs, errEnd := collect()
	in, inEnd, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "agent-worktree hook")
	cmd.Dir, cmd.Env = dir, p.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, outEnd, errEnd
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return reply{status: -1}
	}
	in.Close()
	outEnd.Close()
	errEnd.Close()
	_, input := inEnd.Write(append(text, '\n'))
	inEnd.Close()

	r := reply{input: input}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-stop:
		r.stopped = true
		end(cmd.Process.Pid, ended)
	}
	r.status = cmd.ProcessState.ExitCode()
	for since := time.Now(); (out.open() || errs.open()) && time.Since(since) < atMost; {
		if out.quiet(since) && errs.quiet(since) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	r.closed = !out.open() && !errs.open()
	r.stdout, r.stderr = out.String(), errs.String()
	return r
}

// end stops a hook that took too long: first every process of its, then its group.
func end(pid int, ended <-chan struct{}) {
	for _, p := range append(descendants(pid), pid) {
		syscall.Kill(p, syscall.SIGTERM)
	}
	select {
	case <-ended:
		return
	case <-time.After(killAfter):
	}
	syscall.Kill(-pid, syscall.SIGKILL)
	<-ended
}

// descendants are the processes that pid started, and those that they did.
func descendants(pid int) []int {
	table, _ := exec.Command("ps", "-A", "-o", "pid=", "-o", "ppid=").Output()
	children := map[int][]int{}
	for _, line := range strings.Split(string(table), "\n") {
		if f := strings.Fields(line); len(f) == 2 {
			child, _ := strconv.Atoi(f[0])
			parent, _ := strconv.Atoi(f[1])
			children[parent] = append(children[parent], child)
		}
	}
	all := slices.Clone(children[pid])
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// alive tells whether a process of the group is, beside those that are dead and that
// nobody has waited for.
func alive(group string) bool {
	table, _ := exec.Command("ps", "-A", "-o", "pgid=", "-o", "stat=").Output()
	for _, line := range strings.Split(string(table), "\n") {
		if f := strings.Fields(line); len(f) == 2 && f[0] == group && !strings.HasPrefix(f[1], "Z") {
			return true
		}
	}
	return false
}

var ansi = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// path is the worktree that the client takes a reply to name.
func (c client) path(p project, r reply) (string, error) {
	path := strings.TrimSpace(r.stdout)
	if !c.whole {
		path = ""
		for _, line := range strings.Split(ansi.ReplaceAllString(r.stdout, ""), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				path = line
			}
		}
	}
	switch {
	case r.input != nil:
		return "", fmt.Errorf("closed stdin before hook input was fully written: %v", r.input)
	case r.stopped || r.status != 0:
		return "", fmt.Errorf("status %d: %s", r.status, r.stderr)
	case path == "" || strings.HasPrefix(path, "{"):
		return "", fmt.Errorf("no path in %q", r.stdout)
	case !r.closed:
		return "", errors.New("something it left behind holds its streams")
	}
	if !c.strict {
		return path, nil
	}
	return path, c.vet(p, path)
}

// vet asks what the newest client asks before it isolates anything in a path.
func (c client) vet(p project, path string) error {
	info, err := os.Lstat(path)
	real, _ := filepath.EvalSymlinks(path)
	if err != nil || !info.IsDir() || !filepath.IsAbs(path) || filepath.Clean(path) != path || real != path {
		return fmt.Errorf("refusing to use %s: %v", path, err)
	}
	start := time.Now()
	ask := exec.Command("git", "rev-parse", "--absolute-git-dir", "--show-toplevel", "--git-common-dir")
	ask.Dir, ask.Env = path, p.env
	out, err := ask.Output()
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(lines) != 3 || time.Since(start) > gitAnswers {
		return fmt.Errorf("refusing to use %s: git says %q, %v", path, out, err)
	}
	back, err := os.ReadFile(filepath.Join(lines[0], "gitdir"))
	if filepath.Dir(lines[0]) != filepath.Join(lines[2], "worktrees") || lines[1] != path ||
		strings.TrimSpace(string(back)) != filepath.Join(path, ".git") {
		return fmt.Errorf("refusing to use %s: git says %q, and there %q, %v", path, lines, back, err)
	}
	return nil
}

func (c client) event(kind, cwd string, more map[string]any) map[string]any {
	event := map[string]any{
		"session_id": "6f1d2c3b-8a90-4e1f-9b77-0c2d4e6f8a10", "transcript_path": cwd + "/t.jsonl",
		"cwd": cwd, "hook_event_name": kind,
	}
	if c.strict {
		event["prompt_id"], event["effort"] = "0a1b2c3d", map[string]any{"level": "high"}
	}
	for name, value := range more {
		event[name] = value
	}
	return event
}

func (c client) create(t *testing.T, p project, name string, stop <-chan struct{}) (string, reply, error) {
	t.Helper()
	r := c.hook(t, p, p.dir, c.event("WorktreeCreate", p.dir, map[string]any{"name": name}), stop)
	path, err := c.path(p, r)
	return path, r, err
}

func (c client) remove(t *testing.T, p project, path string) reply {
	t.Helper()
	dir := p.dir
	if c.whole {
		dir = path
	}
	r := c.hook(t, p, dir, c.event("WorktreeRemove", dir, map[string]any{"worktree_path": path}), nil)
	if r.status != 0 || !r.closed || r.input != nil {
		t.Errorf("remove %s: %+v", path, r)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Errorf("%s is still there", path)
	}
	return r
}

// A project is a clone with hooks, and the environment of one who works in it.
type project struct {
	dir string
	env []string
}

func newProject(t *testing.T, hooks map[string]string) project {
	t.Helper()
	bin := tools(t)
	root, err := os.MkdirTemp(scratch, "client-")
	if err != nil {
		t.Fatal(err)
	}
	p := project{dir: filepath.Join(root, "shop"), env: []string{
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + root, "TMPDIR=" + root, "XDG_DATA_HOME=" + filepath.Join(root, "data"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file", "AGENT_WORKTREE_NO_UPDATE_CHECK=1",
	}}
	files := map[string]string{filepath.Join(root, ".gitconfig"): gitconfig}
	for name, body := range hooks {
		files[filepath.Join(p.dir, ".worktree-hooks", name)] = "#!/bin/sh\n" + body
	}
	if err := os.MkdirAll(filepath.Join(p.dir, ".worktree-hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, body := range files {
		if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.run(t, "git", "init", "-q")
	p.run(t, "git", "add", "-A")
	p.run(t, "git", "commit", "-q", "--allow-empty", "-m", "first")
	return p
}

func (p project) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("/usr/bin/env", args...) // looks along the project's PATH, not ours
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// states are the worktrees and their states as ls has them.
func (p project) states(t *testing.T) []string {
	t.Helper()
	return strings.Fields(p.run(t, "agent-worktree", "ls", "--plain", "-o", "name,state"))
}

// file waits for a file that a hook writes into the primary's git directory.
func (p project) file(t *testing.T, name string) string {
	t.Helper()
	text := p.poll(name)
	if text == "" {
		t.Fatalf("%s was not written", name)
	}
	return text
}

// poll is what the file holds, "" when it does not come.
func (p project) poll(name string) string {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(p.dir, ".git", name))
		if line := strings.TrimSpace(string(text)); line != "" {
			return line
		}
	}
	return ""
}

// each runs a test with every client.
func each(t *testing.T, test func(t *testing.T, c client)) {
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// TestClientServer: setup leaves a server running. The client is not kept waiting, the
// path stays the last line, and the server is not ended by what it prints later.
func TestClientServer(t *testing.T) {
	each(t, func(t *testing.T, c client) {
		p := newProject(t, map[string]string{
			"setup": `(
	n=0
	while [ $n -lt 3000 ]; do n=$((n + 1)); echo "tick $n"; echo "tock $n" >&2; echo $n >"$WORKTREE_PRIMARY/.git/ticks"; sleep 0.01; done
) &
echo $! >"$WORKTREE_PRIMARY/.git/server"
`,
			"teardown": `kill "$(cat "$WORKTREE_PRIMARY/.git/server")" && echo stopped >"$WORKTREE_PRIMARY/.git/stopped"
`,
		})
		path, _, err := c.create(t, p, "agent-a0123456789abcdef", nil)
		if err != nil {
			t.Fatal(err)
		}
		since := time.Now()
		first, _ := strconv.Atoi(p.file(t, "ticks"))
		for n := 0; n < first+30; n, _ = strconv.Atoi(p.file(t, "ticks")) {
			if time.Since(since) > 10*time.Second {
				t.Fatalf("the server stopped at %d", n)
			}
			time.Sleep(5 * time.Millisecond)
		}
		r := c.remove(t, p, path)
		if r.stdout != "branch agent-a0123456789abcdef kept, no remote origin\n" {
			t.Errorf("remove printed %q", r.stdout)
		}
		p.file(t, "stopped")
	})
}

// TestClientSlowTeardown: a removal that takes its time, and talks meanwhile, is waited
// for to its end.
func TestClientSlowTeardown(t *testing.T) {
	each(t, func(t *testing.T, c client) {
		p := newProject(t, map[string]string{"teardown": "echo stopping; sleep 0.8; echo stopped; echo yes >\"$WORKTREE_PRIMARY/.git/torn\"\n"})
		path, _, err := c.create(t, p, "bright-running-fox", nil)
		if err != nil {
			t.Fatal(err)
		}
		r := c.remove(t, p, path)
		if !strings.HasPrefix(r.stdout, "branch bright-running-fox kept") || r.stderr != "stopping\nstopped\n" {
			t.Errorf("remove printed %q and %q", r.stdout, r.stderr)
		}
		p.file(t, "torn")

		again := c.hook(t, p, p.dir, c.event("WorktreeRemove", path, map[string]any{"worktree_path": path}), nil)
		if again.status != 0 || again.stdout != "worktree bright-running-fox was gone already\n" {
			t.Errorf("asked again: %+v", again)
		}
	})
}

// TestClientStopsCreate: setup outlasts the client's patience. Nothing of it goes on, and
// the next create of the name goes on from there.
func TestClientStopsCreate(t *testing.T) {
	each(t, func(t *testing.T, c client) {
		p := newProject(t, map[string]string{"setup": `cd "$WORKTREE_PRIMARY/.git"
[ -e quick ] && exit
echo $$ >started
sleep 60
echo too far >finished
`})
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			p.poll("started")
		}()
		_, r, err := c.create(t, p, "wf_0a1b2c3d-4e5-1", stop)
		if err == nil || !r.stopped || r.stdout != "" {
			t.Fatalf("stopped create: %+v, %v; want it stopped with nothing on stdout", r, err)
		}
		group := p.file(t, "started")
		for end := time.Now().Add(5 * time.Second); alive(group); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("setup goes on")
			}
		}
		if got := p.states(t); !slices.Equal(got, []string{"wf_0a1b2c3d-4e5-1", "pending"}) {
			t.Errorf("ls has %v; want it pending", got)
		}
		p.run(t, "touch", ".git/quick")
		path, _, err := c.create(t, p, "wf_0a1b2c3d-4e5-1", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.states(t); !slices.Equal(got, []string{"wf_0a1b2c3d-4e5-1", "ready"}) {
			t.Errorf("ls has %v; want it ready", got)
		}
		c.remove(t, p, path)
	})
}

// TestClientSixteen: sixteen subagents start at once, and end at once.
func TestClientSixteen(t *testing.T) {
	each(t, func(t *testing.T, c client) {
		p := newProject(t, map[string]string{
			"setup":    "echo \"setup of $WORKTREE_NAME\"\n",
			"teardown": "echo \"$WORKTREE_NAME\" >>\"$WORKTREE_PRIMARY/.git/torn\"\n",
		})
		paths := make([]string, 16)
		together(len(paths), func(i int) {
			var err error
			paths[i], _, err = c.create(t, p, fmt.Sprintf("agent-a%016x", 0x9e3779b97f4a7c15*uint64(i+1)), nil)
			if err != nil {
				t.Error(err)
			}
		})
		got := p.states(t)
		if len(got) != 32 || slices.Contains(got, "pending") {
			t.Errorf("ls has %v; want 16 ready", got)
		}
		if t.Failed() {
			return
		}
		together(len(paths), func(i int) { c.remove(t, p, paths[i]) })
		if got := p.states(t); len(got) != 0 {
			t.Errorf("ls has %v; want none", got)
		}
		if torn := strings.Fields(p.file(t, "torn")); len(torn) != 16 {
			t.Errorf("teardown ran for %v", torn)
		}
	})
}

func together(n int, do func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
