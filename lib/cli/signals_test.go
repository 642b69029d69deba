//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// TestMain makes this test binary a tool when a test runs it as one.
func TestMain(m *testing.M) {
	if mode := os.Getenv("CLI_TEST_TOOL"); mode != "" {
		Main("init", ff.NewFlagSet("init"), waiting(mode))
	}
	os.Exit(m.Run())
}

// waiting is a verb that goes on until it is stopped, and then answers by mode.
func waiting(mode string) Run {
	return func(ctx context.Context, p *Process) (Answer, error) {
		over := ctx.Done()
		fmt.Fprintln(p.Stderr, "agent-worktree: waiting")
		<-over
		fmt.Fprintln(p.Stderr, "agent-worktree: cleaning up")
		switch mode {
		case "refuse":
			return Answer{}, &refuse.Refusal{Code: refuse.SetupFailed, Message: "setup was stopped"}
		case "done":
			return Answer{Line: "done"}, nil
		}
		return Answer{}, fmt.Errorf("wait: %w", ctx.Err())
	}
}

// signalled runs the tool and sends it each signal, once it has written a line
// for the one before.
func signalled(t *testing.T, mode string, signals ...syscall.Signal) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "CLI_TEST_TOOL="+mode)
	out := &bytes.Buffer{}
	cmd.Stdout = out
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	text := strings.Builder{}
	for lines.Scan() {
		text.WriteString(lines.Text() + "\n")
		if len(signals) == 0 {
			continue
		}
		if err := cmd.Process.Signal(signals[0]); err != nil {
			t.Fatal(err)
		}
		signals = signals[1:]
	}
	cmd.Wait()
	return out.String(), text.String(), cmd.ProcessState.ExitCode()
}

func TestSignals(t *testing.T) {
	cleaning := "agent-worktree: waiting\nagent-worktree: cleaning up\n"
	interrupted := cleaning + "agent-worktree: interrupted\n"
	tests := []struct {
		mode           string
		signal         syscall.Signal
		stdout, stderr string
		status         int
	}{
		{"stop", syscall.SIGINT, "", interrupted, 130},
		{"stop", syscall.SIGHUP, "", interrupted, 129},
		{"stop", syscall.SIGTERM, "", interrupted, 143},
		{"refuse", syscall.SIGTERM, "", cleaning + "command: init\nok: false\nerror:\n  kind: refusal\n" +
			"  code: setup_failed\n  message: setup was stopped\n  meta:\n  resolve: \"\"\n", 143},
		{"done", syscall.SIGINT, "done\n", cleaning, 0},
	}
	for _, test := range tests {
		stdout, stderr, status := signalled(t, test.mode, test.signal)
		if stdout != test.stdout || stderr != test.stderr || status != test.status {
			t.Errorf("%s, %v: %q, %q, status %d; want %q, %q, status %d", test.mode, test.signal,
				stdout, stderr, status, test.stdout, test.stderr, test.status)
		}
	}
}

// TestThirdSignalEnds: the second waits for the clean-up, the third does not.
func TestThirdSignalEnds(t *testing.T) {
	caught, ended, status := make(chan os.Signal), make(chan struct{}), 0
	go func() {
		defer close(ended)
		(&stopper{}).watch(caught, func(error) {}, func(code int) {
			status = code
			runtime.Goexit()
		})
	}()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		select {
		case caught <- sig:
		case <-ended:
			t.Fatalf("it ended before %v; want it to wait for the third signal", sig)
		}
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("it goes on after three signals; want it to end")
	}
	if status != 130 {
		t.Errorf("status %d; want the first signal's, 130", status)
	}
}

// TestIgnoredSignalsStayIgnored: what nohup set must hold.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	script := `trap "" HUP; CLI_TEST_TOOL=stop exec "$0"`
	cmd := exec.Command("sh", "-c", script, os.Args[0])
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(pipe).ReadString('\n')
	cmd.Process.Signal(syscall.SIGHUP)
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 143 {
		t.Errorf("status %d; want 143, the hang-up ignored", status)
	}
}
