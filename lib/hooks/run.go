package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
)

const (
	// grace is how long a hook that is told to stop may take before it is killed. Claude Code kills
	// us one and a half seconds after it told us to stop, and nobody would then stop the hook.
	grace = time.Second
	// busyTries and busyWait bound the wait for a hook that somebody holds open for writing.
	busyTries = 50
	busyWait  = 5 * time.Millisecond
)

// A Call is one run of a setup or teardown hook.
type Call struct {
	Path string   // the hook, absolute
	Args []string // what git tells a hook of its own; project hooks get none
	Dir  string   // the working directory
	Env  []string // the whole environment, from Env
	// Stderr receives what the hook prints on both its outputs. An *os.File is handed to the hook
	// itself, so what it leaves running keeps that file and nothing of ours. Through any other
	// writer, output ends soon after the hook does, and a process left behind that prints later
	// meets a closed pipe.
	Stderr io.Writer
	// Body, when not nil, is run in place of what stands at Path by then: bytes that were judged
	// earlier (see Read). They are put into Scratch, a directory of the caller's, for the while,
	// and that copy is then the hook's $0.
	Body    []byte
	Scratch string
}

// An ExitError is a hook that ran and did not succeed.
type ExitError struct {
	Hook   string
	Status int    // its exit status; 128 and the signal's number when a signal ended it
	Signal string // such as SIGKILL, "" when it exited by itself
}

// Error names the hook and how it ended.
func (e *ExitError) Error() string {
	if e.Signal != "" {
		return fmt.Sprintf("hook %s was ended by %s", e.Hook, e.Signal)
	}
	return fmt.Sprintf("hook %s exited with status %d", e.Hook, e.Status)
}

// Run runs a hook in a session of its own, with nothing on standard input and no terminal, so
// that one which asks a person fails at once. It waits for the hook's own process only.
//
// When ctx ends, the hook's whole process group gets SIGTERM, or the signal that ctx's cause
// names with a method Signal() os.Signal; what is left of it one second later is killed. Run
// then returns the cause. A hook that fails is an *ExitError, and one that cannot start a
// refusal, hook_unrunnable.
func Run(ctx context.Context, c Call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := checkDir(c.Dir); err != nil {
		return fmt.Errorf("hook %s: working directory: %w", c.Path, err)
	}
	file, cleanup, err := c.program()
	if err != nil {
		return fmt.Errorf("hook %s: %w", c.Path, err)
	}
	defer cleanup()
	out, err := openSink(c.Stderr)
	if err != nil {
		return fmt.Errorf("hook %s: %w", c.Path, err)
	}
	defer out.finish()
	if err := fault.Point("hook", c.Path); err != nil {
		return err
	}
	cmd, err := start(file, c, out.file)
	if err != nil {
		return explain(c.Path, file, err)
	}
	out.started()
	return await(ctx, cmd, c.Path)
}

// checkDir is asked first, since a missing directory and a missing interpreter fail alike.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return err
}

// start starts the hook. A file that is open for writing cannot be executed: any process that is
// just being started, here or elsewhere, may have inherited such a descriptor for a moment.
func start(file string, c Call, out *os.File) (*exec.Cmd, error) {
	for try := 1; ; try++ {
		cmd := &exec.Cmd{
			Path: file, Args: append([]string{c.Path}, c.Args...), Dir: c.Dir,
			Env:    append([]string{}, c.Env...), // not nil, which would mean our own
			Stdout: out, Stderr: out,
			SysProcAttr: ownSession(),
		}
		err := cmd.Start()
		if !errors.Is(err, errFileBusy) || try == busyTries {
			return cmd, err
		}
		time.Sleep(busyWait)
	}
}

func await(ctx context.Context, cmd *exec.Cmd, hook string) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return exitError(hook, cmd.Path, err)
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	stopGroup(cmd.Process.Pid, signalOf(cause), ended)
	return cause
}

// signalOf returns the signal to pass on: the one that ended the command, if it was one.
func signalOf(cause error) os.Signal {
	var sent interface{ Signal() os.Signal }
	if errors.As(cause, &sent) {
		return sent.Signal()
	}
	return syscall.SIGTERM
}

// exitError tells how a hook ended; file is what was executed for it.
func exitError(hook, file string, err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if status, name := killedBy(exit.ProcessState); name != "" {
		return &ExitError{Hook: hook, Status: status, Signal: name}
	}
	if missingInterpreter(file, exit.ExitCode()) {
		return carriageReturn(hook)
	}
	return &ExitError{Hook: hook, Status: exit.ExitCode()}
}
