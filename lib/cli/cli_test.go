package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/release"
	"github.com/cniska/agent-worktree/lib/toon"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// ran is what one run of a tool gave.
type ran struct {
	stdout, stderr string
	status         int
}

func (r ran) String() string {
	return fmt.Sprintf("stdout %q, stderr %q, status %d", r.stdout, r.stderr, r.status)
}

func execute(verb verbs.Verb, args string, run Run) ran {
	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	s := system{
		args: words(args), stdin: strings.NewReader("in"), stdout: stdout, stderr: stderr, goos: "linux",
	}
	t := tool{verb: verb, flags: newSample().set, run: run}
	status := t.execute(s)
	return ran{stdout.String(), stderr.String(), status}
}

// giving is a verb that answers so, after a note.
func giving(a Answer, err error) Run {
	return func(_ context.Context, p *Process) (Answer, error) {
		fmt.Fprintln(p.Stderr, "agent-worktree: a note")
		return a, err
	}
}

const note = "agent-worktree: a note\n"

func TestExecuteSucceeds(t *testing.T) {
	answer := Answer{Result: toon.Object{{Key: "path", Value: "/x"}}, Rows: [][]any{{"/x"}}}
	failing := answer
	failing.Status = 1
	tests := []struct {
		name, args string
		answer     Answer
		want       ran
	}{
		{"envelope", "", answer, ran{"command: create\nok: true\nresult:\n  path: /x\n", note, 0}},
		{"json", "--json", answer, ran{`{"command":"create","ok":true,"result":{"path":"/x"}}` + "\n", note, 0}},
		{"plain", "--plain", answer, ran{"/x\n", note, 0}},
		{"nul", "-z", answer, ran{"/x\x00", note, 0}},
		{"null", "", Answer{}, ran{"command: create\nok: true\nresult: null\n", note, 0}},
		{"null json", "--json", Answer{}, ran{`{"command":"create","ok":true,"result":null}` + "\n", note, 0}},
		{"null plain", "--plain", Answer{}, ran{"", note, 0}},
		{"line", "--json", Answer{Line: "3 worktrees"}, ran{"3 worktrees\n", note, 0}},
		{"silent", "", Answer{Silent: true}, ran{"", note, 0}},
		{"status", "--plain", failing, ran{"/x\n", note, 1}},
	}
	for _, test := range tests {
		if got := execute(sample, test.args, giving(test.answer, nil)); got != test.want {
			t.Errorf("%s: %v; want %v", test.name, got, test.want)
		}
	}
}

// document is stderr with a note and then the envelope of an error.
func document(kind, code, message, meta, act string) string {
	return note + "command: create\nok: false\nerror:\n  kind: " + kind + "\n  code: " + code +
		"\n  message: " + message + "\n  meta:" + meta + "\n  resolve: " + act + "\n"
}

func TestExecuteFails(t *testing.T) {
	refusal := &refuse.Refusal{
		Code: refuse.Dirty, Message: "worktree a\x1b has changes", Resolve: "commit them",
		Meta: refuse.Meta{{Key: "name", Value: "a"}, {Key: "files", Value: []string{"b", "c"}}},
	}
	fault := &refuse.Fault{Code: refuse.GitFailed, Message: "git failed", Meta: refuse.Meta{{Key: "exit", Value: 128}}}
	owner := "hand this error to the owner"
	tests := []struct {
		name, args string
		err        error
		want       ran
	}{
		{"refusal", "", refusal, ran{"", document("refusal", "dirty", `"worktree a\\x1b has changes"`,
			"\n    name: a\n    files[2]: b,c", "commit them"), 1}},
		{"refusal json", "--json", refusal, ran{"", note + `{"command":"create","ok":false,"error":{"kind":"refusal",` +
			`"code":"dirty","message":"worktree a\\x1b has changes","meta":{"name":"a","files":["b","c"]},` +
			`"resolve":"commit them"}}` + "\n", 1}},
		{"refusal plain", "-z", refusal, ran{"", note +
			`agent-worktree: dirty: worktree a\x1b has changes; commit them` + "\n", 1}},
		{"wrapped refusal", "", fmt.Errorf("more: %w", refusal), ran{"", document("refusal", "dirty",
			`"worktree a\\x1b has changes"`, "\n    name: a\n    files[2]: b,c", "commit them"), 1}},
		{"usage", "", &refuse.Refusal{Code: refuse.Usage, Message: "no"}, ran{"", document("refusal", "usage", "no", "", `""`), 2}},
		{"fault", "", fault, ran{"", document("fault", "git_failed", "git failed", "\n    exit: 128", owner), 1}},
		{"wrapped fault", "", fmt.Errorf("list: %w", fault), ran{"", document("fault", "git_failed",
			`"list: git failed"`, "\n    exit: 128", owner), 1}},
		{"any error", "", errors.New("odd"), ran{"", document("fault", "internal", "odd", "", owner), 1}},
		{"meta that cannot be encoded", "", &refuse.Fault{Code: refuse.GitFailed, Message: "a \"b\"\x00",
			Meta: refuse.Meta{{Key: "bad key", Value: 1.5}}},
			ran{"", strings.Replace(document("fault", `"git_failed"`, `"a \"b\"\\x00"`, "", `"`+owner+`"`),
				"command: create", `command: "create"`, 1), 1}},
	}
	for _, test := range tests {
		if got := execute(sample, test.args, giving(Answer{}, test.err)); got != test.want {
			t.Errorf("%s:\n%s\nstatus %d; want\n%s\nstatus %d",
				test.name, got.stderr, got.status, test.want.stderr, test.want.status)
		}
	}
}

func TestFailureOfJSONIsNeverLost(t *testing.T) {
	bad := &refuse.Fault{Code: refuse.Internal, Message: "m", Meta: refuse.Meta{{Key: "", Value: 1.5}}}
	want := note + `{"command":"create","ok":false,"error":{"kind":"fault","code":"internal","message":"m",` +
		`"meta":{},"resolve":"hand this error to the owner"}}` + "\n"
	if got := execute(sample, "--json", giving(Answer{}, bad)); got.stderr != want {
		t.Errorf("stderr %s; want %s", got.stderr, want)
	}
}

func TestResultThatCannotBeEncoded(t *testing.T) {
	got := execute(sample, "", giving(Answer{Result: toon.Object{{Key: "x", Value: 1.5}}}, nil))
	if got.stdout != "" || got.status != 1 || !strings.Contains(got.stderr, "code: internal") {
		t.Errorf("%v; want a fault and nothing on stdout", got)
	}
}

func TestPanicIsAFault(t *testing.T) {
	got := execute(sample, "", func(context.Context, *Process) (Answer, error) { panic("boom") })
	if got.stdout != "" || got.status != 1 ||
		!strings.Contains(got.stderr, "  code: internal\n  message: \"create panicked: boom\"\n") {
		t.Errorf("%v; want the fault internal alone", got)
	}
}

func TestUsageRefusal(t *testing.T) {
	got := execute(sample, "--bogus --plain", giving(Answer{}, nil))
	want := ran{"", "agent-worktree: usage: unknown option --bogus; agent-worktree " + sample.Usage + "\n", 2}
	if got != want {
		t.Errorf("%v; want %v", got, want)
	}
}

func TestHelpAndVersion(t *testing.T) {
	help := "command: create\nok: true\nresult:\n  usage: \"" + sample.Usage + "\"\n  summary: do it\n"
	tests := []struct{ args, stdout string }{
		{"--help", help},
		{"-h x y z", help},
		{"--help --plain", sample.Usage + "\tdo it\n"},
		{"--version", release.Version() + "\n"},
	}
	for _, goos := range []string{"linux", "windows"} {
		for _, test := range tests {
			stdout := &bytes.Buffer{}
			s := system{args: words(test.args), stdout: stdout, stderr: io.Discard, goos: goos}
			status := tool{verb: sample, flags: newSample().set}.execute(s)
			if status != 0 || stdout.String() != test.stdout {
				t.Errorf("%s on %s = %d, %q; want 0, %q", test.args, goos, status, stdout, test.stdout)
			}
		}
	}
}

func TestOtherPlatformsAreRefused(t *testing.T) {
	stderr := &bytes.Buffer{}
	s := system{args: []string{"x"}, stdout: io.Discard, stderr: stderr, goos: "windows"}
	status := tool{verb: sample, flags: newSample().set}.execute(s)
	if status != 1 || !strings.Contains(stderr.String(), "code: unsupported_platform") {
		t.Errorf("on windows: %d, %q; want unsupported_platform", status, stderr)
	}
}

// TestHookHoldsStderr: Claude Code shows the first line of a failed hook's stderr.
func TestHookHoldsStderr(t *testing.T) {
	hook, _ := verbs.Find("hook")
	good := execute(hook, "", giving(Answer{Line: "/x"}, nil))
	if want := (ran{"/x\n", note, 0}); good != want {
		t.Errorf("hook = %v; want %v", good, want)
	}
	bad := execute(hook, "", giving(Answer{}, &refuse.Refusal{Code: refuse.SetupFailed, Message: "no\nway"}))
	start := "agent-worktree: setup_failed: no\\nway\n" + note + "command: hook\nok: false\n"
	if bad.status != 1 || bad.stdout != "" || !strings.HasPrefix(bad.stderr, start) {
		t.Errorf("hook = %v; want stderr to start %q", bad, start)
	}
}

// TestHookHoldsStderrInAFile: what a project hook leaves running is handed the file, and
// what it writes late moves nothing that is being read.
func TestHookHoldsStderrInAFile(t *testing.T) {
	hook, _ := verbs.Find("hook")
	var file *os.File
	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	run := func(_ context.Context, p *Process) (Answer, error) {
		file, _ = p.Stderr.(*os.File)
		fmt.Fprintln(p.Stderr, "one")
		fmt.Fprintln(p.Stderr, "two")
		return Answer{Line: "/x"}, nil
	}
	s := system{stdout: stdout, stderr: stderr, goos: "linux"}
	status := tool{verb: hook, flags: ff.NewFlagSet("hook"), run: run}.execute(s)
	if file == nil || status != 0 || stdout.String() != "/x\n" || stderr.String() != "one\ntwo\n" {
		t.Errorf("hook = %d, %q, %q; want 0, its line, and both notes from a file", status, stdout, stderr)
	}
}

func TestHookHoldsStderrWithoutTemporaryFiles(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	TestHookHoldsStderr(t)
}

// broken fails every write.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestStdoutThatCannotBeWritten(t *testing.T) {
	tests := []struct {
		err    error
		status int
		stderr string
	}{
		{syscall.EPIPE, 141, ""},
		{syscall.ENOSPC, 1, "no space left on device"},
	}
	for _, test := range tests {
		stderr := &bytes.Buffer{}
		out := printer{command: "ls", stdout: broken{test.err}, stderr: stderr}
		status := out.succeed(Answer{})
		if status != test.status || !strings.Contains(stderr.String(), test.stderr) ||
			(test.stderr == "") != (stderr.Len() == 0) {
			t.Errorf("%v: %d, %q; want %d, %q", test.err, status, stderr, test.status, test.stderr)
		}
	}
}

// TestValuesHavePlaceholders holds ff to what the scanner relies on: a switch has
// no placeholder, and a value's is what its usage has in back quotes.
func TestValuesHavePlaceholders(t *testing.T) {
	want := map[string]string{"from": "ref", "o": "item list", "force": "", "keep": "pattern"}
	set := newSample().set
	for name, placeholder := range want {
		flag, ok := set.GetFlag(name)
		if !ok || flag.GetPlaceholder() != placeholder {
			t.Errorf("placeholder of %s = %v; want %q", name, flag, placeholder)
		}
	}
	var _ ff.Flags = set
}
