// Package git is the only place that starts git. It drops what would aim git at
// another repository, asks in machine-readable forms, runs a call again when a
// worktree that another process is making got in its way, and bounds every call
// that reaches a remote.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
)

// NetworkLimit is how long one call that reaches a remote may take, its reruns included.
const NetworkLimit = 60 * time.Second

// maxRuns is how often a call is run in all while another process is half way
// through making or dropping a worktree.
const maxRuns = 50

// stuckRuns is after how many of them Git.Stuck is asked.
const stuckRuns = 8

// A Git starts git with one environment.
type Git struct {
	env      []string  // the caller's, without what would redirect git
	stderr   io.Writer // where progress and, under a trace, each call is shown
	terminal bool      // stderr is a terminal
	trace    bool

	// Stuck, when not nil, is called once in a call that keeps failing on a half-made
	// worktree: it may be one that nobody is making any more.
	Stuck func(ctx context.Context)
	// Killed, when not nil, is called when a call's git was killed, by another hand than
	// ours: dir is where it ran, and since is when it had begun.
	Killed func(ctx context.Context, dir string, since time.Time)
}

// New returns a Git for the caller's environment. Progress of a long call goes to
// stderr where that is a terminal; AGENT_WORKTREE_TRACE=1 in env prints each call there.
func New(env []string, stderr io.Writer, terminal bool) *Git {
	return &Git{
		env:      Scrub(env),
		stderr:   stderr,
		terminal: terminal,
		trace:    lookup(env, "AGENT_WORKTREE_TRACE") == "1",
	}
}

// A Call is one question to git, or one order.
type Call struct {
	Dir     string   // absolute; where git runs
	Args    []string // after `git`
	Stdin   []byte   // nil: /dev/null
	Env     []string // added to the environment, last wins
	Locks   bool     // may take optional locks, so that a refreshed index is written
	Locale  bool     // keep the caller's locale: the project's filters run in it
	Network bool     // reaches a remote: bounded by NetworkLimit
	Shown   bool     // let git's progress through to a terminal
	Lock    *os.File // inherited, so that an orphaned git still holds it
	OK      []int    // exit statuses that are answers, beside 0
}

// An Answer is what git printed, with its exit status where Call.OK allows several.
type Answer struct {
	Stdout []byte
	Stderr string
	Status int
}

// Text is the answer without the newline that ends it.
func (a Answer) Text() string { return strings.TrimSuffix(string(a.Stdout), "\n") }

// Lines are the answer's lines, none for an empty answer.
func (a Answer) Lines() []string {
	if len(a.Stdout) == 0 {
		return nil
	}
	return strings.Split(a.Text(), "\n")
}

// Run starts git and waits for it. A status that is neither 0 nor in c.OK is an
// *Error; a cancelled ctx is ctx's cause.
func (g *Git) Run(ctx context.Context, c Call) (Answer, error) {
	if !strings.HasPrefix(c.Dir, "/") {
		return Answer{}, fmt.Errorf("git %s: no directory to run in", strings.Join(c.Args, " "))
	}
	if c.Network {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, NetworkLimit, errTimeout)
		defer cancel()
	}
	pause := 2 * time.Millisecond
	for run := 1; ; run++ {
		answer, err := g.stepped(ctx, c)
		var failed *Error
		if err == nil || !errors.As(err, &failed) || run == maxRuns || !transient(failed.Stderr) {
			return answer, err
		}
		if run == stuckRuns && g.Stuck != nil && c.Lock == nil {
			g.Stuck(ctx)
		}
		if run > 1 {
			if !sleep(ctx, pause) {
				return Answer{}, context.Cause(ctx)
			}
			pause = min(2*pause, 20*time.Millisecond)
		}
	}
}

// stepped is one run of the call, between two points at which a test build can fail.
func (g *Git) stepped(ctx context.Context, c Call) (Answer, error) {
	if err := fault.Point("git", c.Args...); err != nil {
		return Answer{}, &Error{Args: c.Args, Dir: c.Dir, Status: -1, Cause: err}
	}
	since := time.Now()
	answer, err := g.once(ctx, c)
	if err != nil && answer.Status < 0 && ctx.Err() == nil && g.Killed != nil {
		g.Killed(ctx, c.Dir, since)
	}
	if err := fault.Point("git done", c.Args...); err != nil {
		return answer, &Error{Args: c.Args, Dir: c.Dir, Status: -1, Cause: err}
	}
	return answer, err
}

// once is one run of the call.
func (g *Git) once(ctx context.Context, c Call) (Answer, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", append(c.leading(), c.Args...)...)
	cmd.Dir = c.Dir
	cmd.Env = g.environment(c)
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	if c.Shown && g.terminal {
		cmd.Stderr = io.MultiWriter(&stderr, g.stderr)
	}
	if c.Stdin != nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	if c.Lock != nil {
		cmd.ExtraFiles = []*os.File{c.Lock}
	}
	ownGroup(cmd)
	stopGroup(ctx, cmd)
	// A process that git left behind, such as a maintenance run, may hold the
	// pipes; git's own end is what counts.
	cmd.WaitDelay = 2 * time.Second

	start := time.Now()
	err := cmd.Run()
	g.note(c, start)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if ctx.Err() != nil && err != nil {
		if cause := context.Cause(ctx); !errors.Is(cause, errTimeout) {
			return Answer{}, cause
		}
		return Answer{}, &Error{Args: c.Args, Dir: c.Dir, Status: -1, Cause: errTimeout}
	}
	answer := Answer{Stdout: stdout.Bytes(), Stderr: stderr.String(), Status: cmd.ProcessState.ExitCode()}
	if err == nil || allowed(err, answer.Status, c.OK) {
		return answer, nil
	}
	return answer, &Error{Args: c.Args, Dir: c.Dir, Status: answer.Status, Stderr: lastWords(answer.Stderr), Cause: err}
}

// leading are the options that stand before the subcommand in every call.
func (c Call) leading() []string {
	return []string{"--no-pager", "--literal-pathspecs", "-c", "color.ui=false"}
}

// Quiet keeps the user's hooks and file-system monitor out of a call: reads,
// judgements and deletions run no code that a repository names.
func Quiet(args ...string) []string {
	return append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)
}

func (g *Git) environment(c Call) []string {
	env := append([]string{}, g.env...)
	env = append(env, "GIT_TERMINAL_PROMPT=0")
	if !c.Locale {
		env = append(env, "LC_ALL=C", "LANGUAGE=")
	}
	if !c.Locks {
		env = append(env, "GIT_OPTIONAL_LOCKS=0")
	}
	return append(env, c.Env...)
}

func (g *Git) note(c Call, start time.Time) {
	if g.trace {
		fmt.Fprintf(g.stderr, "agent-worktree: trace: %6.1f ms git %s\n",
			float64(time.Since(start).Microseconds())/1000, visible(strings.Join(c.Args, " ")))
	}
}

func allowed(err error, status int, ok []int) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	for _, s := range ok {
		if s == status {
			return true
		}
	}
	return false
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
