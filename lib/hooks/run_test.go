//go:build unix

package hooks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// call is a hook with that text, in a directory of its own, run with the account's PATH.
func call(t *testing.T, text string) Call {
	t.Helper()
	dir := t.TempDir()
	return Call{Path: put(t, filepath.Join(dir, "setup"), text, 0o755), Dir: dir,
		Env: []string{"PATH=" + os.Getenv("PATH")}, Stderr: io.Discard}
}

func TestRunHandsOn(t *testing.T) {
	c := call(t, "#!/bin/sh\necho out; echo err >&2; pwd -P; env; cat; [ \"$0\" = \"$HOOK\" ]\n")
	dir, err := filepath.EvalSymlinks(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(c.Env, "HOOK="+c.Path)
	var out bytes.Buffer
	c.Stderr = &out
	if err := Run(context.Background(), c); err != nil {
		t.Errorf("Run() = %v; want nil", err)
	}
	for _, want := range []string{"out\nerr\n" + dir + "\n", "HOOK=" + c.Path + "\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output = %q; want it to hold %q", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "HOME=") {
		t.Errorf("environment = %q; want nothing of the test's own", out.String())
	}
}

func TestRunWithNoEnvironment(t *testing.T) {
	c := call(t, "#!/bin/sh\n[ -z \"$HOME\" ]\n")
	c.Env = nil
	if err := Run(context.Background(), c); err != nil {
		t.Errorf("Run() with no environment = %v; want nil", err)
	}
}

func TestRunFailures(t *testing.T) {
	tests := []struct {
		text   string
		status int
		signal string
	}{
		{"#!/bin/sh\nexit 3\n", 3, ""},
		{"#!/bin/sh\nread x || exit 9\n", 9, ""},         // nothing to read
		{"#!/bin/sh\n: </dev/tty || exit 8\n", 0, "any"}, // nobody to ask
		{"#!/bin/sh\nkill -KILL $$\n", 137, "SIGKILL"},
		{"#!/bin/sh\nkill -TERM $$\n", 143, "SIGTERM"},
		{"#!/bin/sh\nnosuchcommand\n", 127, ""},
	}
	for _, test := range tests {
		c := call(t, test.text)
		err := Run(context.Background(), c)
		var exit *ExitError
		if !errors.As(err, &exit) || exit.Hook != c.Path {
			t.Errorf("Run(%q) = %v; want an ExitError", test.text, err)
			continue
		}
		if test.signal != "any" && (exit.Status != test.status || exit.Signal != test.signal) {
			t.Errorf("Run(%q) = %+v; want %d %q", test.text, exit, test.status, test.signal)
		}
	}
}

func TestRunUnrunnable(t *testing.T) {
	for text, reason := range map[string]string{
		"":                                "names none with #!",
		"echo hello\n":                    "names none with #!",
		"#!\n":                            "names none with #!",
		"#!/no/such/sh\n":                 "/no/such/sh does not exist",
		"#!/bin/sh\r\nexit 0\r\n":         "carriage return",
		"#!/usr/bin/env sh\r\nexit 0\r\n": "carriage return",
		"#!/etc/passwd\n":                 "/etc/passwd cannot be executed",
		"#!/etc\n":                        "/etc cannot be executed",
	} {
		c := call(t, text)
		r := wantRefusal(t, text, Run(context.Background(), c), refuse.HookUnrunnable, c.Path)
		if !strings.Contains(r.Message, reason) {
			t.Errorf("Run(%q): %q; want %q", text, r.Message, reason)
		}
	}
}

func TestRunWithoutItsDirectory(t *testing.T) {
	c := call(t, "#!/bin/sh\n")
	c.Dir = filepath.Join(c.Dir, "gone")
	var r *refuse.Refusal
	if err := Run(context.Background(), c); err == nil || errors.As(err, &r) {
		t.Errorf("Run() in a missing directory = %v; want an error that does not blame the hook", err)
	}
}

// TestRunLeavesDaemonsAlone: what a hook leaves running holds neither us nor our pipe.
func TestRunLeavesDaemonsAlone(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, to := range map[string]io.Writer{"a file": file, "a pipe": &bytes.Buffer{}} {
		c := call(t, "#!/bin/sh\nsleep 60 &\necho $! >pid\necho up\n")
		c.Stderr = to
		begun := time.Now()
		if err := Run(context.Background(), c); err != nil {
			t.Errorf("Run() into %s = %v; want nil", name, err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("Run() into %s took %v; want it not to wait for the daemon", name, took)
		}
		pid := pidIn(t, filepath.Join(c.Dir, "pid"))
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Errorf("daemon of %s: %v; want it alive", name, err)
		}
	}
	if data, err := os.ReadFile(file.Name()); string(data) != "up\n" {
		t.Errorf("file holds %q, %v; want %q", data, err, "up\n")
	}
}

func TestRunTakesAllOutput(t *testing.T) {
	c := call(t, "#!/bin/sh\nsleep 60 &\necho $! >pid\nhead -c 1000000 /dev/zero\n")
	var out bytes.Buffer
	c.Stderr = &out
	if err := Run(context.Background(), c); err != nil || out.Len() != 1000000 {
		t.Errorf("Run() = %v with %d bytes; want 1000000", err, out.Len())
	}
	syscall.Kill(pidIn(t, filepath.Join(c.Dir, "pid")), syscall.SIGKILL)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestRunIntoABrokenWriter(t *testing.T) {
	c := call(t, "#!/bin/sh\nhead -c 1000000 /dev/zero\n")
	c.Stderr = brokenWriter{}
	if err := Run(context.Background(), c); err != nil {
		t.Errorf("Run() = %v; want nil", err)
	}
}

func pidIn(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	pid, parseErr := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || parseErr != nil {
		t.Fatalf("pid in %s: %q, %v", path, data, err)
	}
	return pid
}

// stopped is a cause that names a signal, as the command line's is.
type stopped struct{ sig syscall.Signal }

func (s stopped) Error() string     { return s.sig.String() }
func (s stopped) Signal() os.Signal { return s.sig }

// runAndCancel cancels the run with that cause once the hook has written the file "up".
func runAndCancel(t *testing.T, c Call, cause error) error {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(c.Dir, "up")); err == nil {
				cancel(cause)
			}
			time.Sleep(time.Millisecond)
		}
	}()
	err := Run(ctx, c)
	cancel(nil)
	return err
}

func wantDead(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		if syscall.Kill(pid, 0) != nil || zombie(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d is alive; want it stopped", pid)
}

// zombie reports a process that is dead and that nobody has waited for, as in a container whose
// first process does not.
func zombie(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}

// TestCancelForwardsTheSignal uses none that a shell which starts the tests may have them ignore.
func TestCancelForwardsTheSignal(t *testing.T) {
	for cause, want := range map[error]string{
		stopped{syscall.SIGUSR1}: "USR1\n", stopped{syscall.SIGUSR2}: "USR2\n", os.ErrClosed: "TERM\n",
	} {
		c := call(t, `#!/bin/sh
for s in USR1 USR2 TERM; do trap "echo $s >got; exit 0" $s; done
sleep 60 & echo $! >pid
: >up
wait
`)
		begun := time.Now()
		if err := runAndCancel(t, c, cause); err != cause {
			t.Errorf("Run() cancelled with %v = %v; want the cause", cause, err)
		}
		if got, err := os.ReadFile(filepath.Join(c.Dir, "got")); string(got) != want {
			t.Errorf("hook got %q, %v; want %q", got, err, want)
		}
		wantDead(t, pidIn(t, filepath.Join(c.Dir, "pid")))
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("Run() took %v after the signal; want at most the grace", took)
		}
	}
}

func TestCancelKillsTheDeaf(t *testing.T) {
	for name, text := range map[string]string{
		"hook":  "#!/bin/sh\ntrap '' TERM\necho $$ >pid\n: >up\nwhile :; do sleep 1; done\n",
		"child": "#!/bin/sh\n(trap '' TERM; while :; do sleep 1; done) & echo $! >pid\n: >up\nwait\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(t, text)
			if err := runAndCancel(t, c, os.ErrClosed); err != os.ErrClosed {
				t.Errorf("Run() = %v; want the cause", err)
			}
			wantDead(t, pidIn(t, filepath.Join(c.Dir, "pid")))
		})
	}
}

func TestRunWhenAlreadyCancelled(t *testing.T) {
	c := call(t, "#!/bin/sh\n: >up\n")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(os.ErrClosed)
	if err := Run(ctx, c); err != os.ErrClosed {
		t.Errorf("Run() = %v; want the cause", err)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "up")); err == nil {
		t.Error("the hook ran; want it not started")
	}
}

func TestRunWaitsForABusyFile(t *testing.T) {
	c := call(t, "#!/bin/sh\n")
	f, err := os.OpenFile(c.Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { f.Close() })
	if err := Run(context.Background(), c); err != nil {
		t.Errorf("Run() of a file open for writing = %v; want nil once it is closed", err)
	}
}
