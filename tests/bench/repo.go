package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A repo is a row's scratch repository r with its origin o.git, a home, and the
// environment that commands run in.
type repo struct {
	*bench
	dir      string
	delay    string // how long each connection takes, in seconds; "" for none
	counting bool   // the tools' trace is on, and git counts its own starts
	err      error  // of the setting up
}

func (r *repo) path(parts ...string) string {
	return filepath.Join(append([]string{r.dir}, parts...)...)
}

// clear makes an empty directory of what may have been there.
func (r *repo) clear() error {
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	for _, dir := range []string{"home", "r", "plain"} {
		if err := os.MkdirAll(r.path(dir), 0o700); err != nil {
			return err
		}
	}
	const config = `[user]
	name = bench
	email = bench@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
`
	return os.WriteFile(r.path("home", ".gitconfig"), []byte(config), 0o600)
}

// search are the directories in which commands are looked for.
func (r *repo) search() []string {
	dirs := append([]string{r.bin}, filepath.SplitList(os.Getenv("PATH"))...)
	if r.counting {
		dirs = append([]string{r.shim}, dirs...)
	}
	return dirs
}

func (r *repo) env(delay string) []string {
	if delay == "" {
		delay = "0"
	}
	env := []string{
		"PATH=" + strings.Join(r.search(), string(filepath.ListSeparator)),
		"HOME=" + r.path("home"), "XDG_DATA_HOME=" + r.path("data"), "XDG_STATE_HOME=" + r.path("state"),
		"GIT_CONFIG_NOSYSTEM=1", "AGENT_WORKTREE_NO_UPDATE_CHECK=1",
		"GIT_SSH_COMMAND=" + r.ssh, "GIT_SSH_VARIANT=ssh", "BENCH_DELAY=" + delay,
	}
	if r.counting {
		env = append(env, "AGENT_WORKTREE_TRACE=1", "BENCH_COUNT="+r.path("count"))
	}
	return env
}

// cmd is a command to time, in the primary checkout.
func (r *repo) cmd(name string, args ...string) *exec.Cmd {
	path := name
	for _, dir := range r.search() {
		at := filepath.Join(dir, name)
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			path = at
			break
		}
	}
	return &exec.Cmd{Path: path, Args: append([]string{name}, args...), Dir: r.path("r"), Env: r.env(r.delay)}
}

// plain is a side that is one command, always the same.
func (r *repo) plain(name string, args ...string) side {
	return side{run: func(int) *exec.Cmd { return r.cmd(name, args...) }}
}

// script is a side that is a shell script; $1 is the name of what this run works on. A
// tool that is held against a script is started by one too.
func (r *repo) script(text, prefix string) side {
	return side{run: func(i int) *exec.Cmd { return r.cmd("sh", "-ec", text, "sh", named(prefix, i)) }}
}

// named is the name of a run's branch and worktree.
func named(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i) }

// do is a script that is not timed; $1 is the name of what this run works on.
func (r *repo) do(text, prefix string) func(int) error {
	return func(i int) error { return r.sh(text, named(prefix, i)) }
}

// sh runs a script in the primary checkout, with connections that take no time.
func (r *repo) sh(script string, args ...string) error {
	if r.err != nil {
		return r.err
	}
	cmd := r.cmd("sh", append([]string{"-euc", script, "sh"}, args...)...)
	cmd.Env = r.env("")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.err = fmt.Errorf("sh: %w\n%s\n%s", err, script, out)
	}
	if _, err := orphans(); err != nil && r.err == nil {
		r.err = err
	}
	return r.err
}

// input is a file with that text, to be a command's standard input.
func (r *repo) input(text string) *os.File {
	path := r.path("stdin")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil
	}
	file, _ := os.Open(path)
	return file
}

// streams sends what a command prints to files: a pipe would be read by this process, on
// the command's time. The returned function tells what it printed.
func (r *repo) streams(cmd *exec.Cmd) (func() string, error) {
	os.Remove(r.path("count"))
	stdout, err := os.Create(r.path("stdout"))
	if err != nil {
		return nil, err
	}
	stderr, err := os.Create(r.path("stderr"))
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return func() string {
		stdout.Close()
		stderr.Close()
		text, _ := os.ReadFile(stderr.Name())
		return string(text)
	}, nil
}

// counted is how many git processes a run started itself: by the tool's own trace, else
// by the git that counts. What git starts in its turn is not among them.
func (r *repo) counted(printed string) int {
	if n := strings.Count(printed, "agent-worktree: trace:"); n > 0 {
		return n
	}
	starts, _ := os.ReadFile(r.path("count"))
	return bytes.Count(starts, []byte("\n"))
}

// connect has the remote reached by a stand-in for ssh that takes its time.
func (r *repo) connect(seconds string) {
	r.delay = seconds
	r.sh(`git remote set-url origin "bench:$1"`, r.path("o.git"))
}
