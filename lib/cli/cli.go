// Package cli is how a tool talks: it reads the command line, runs the verb, and
// prints one answer in the form that was asked for.
//
// A tool's main names its verb, defines its flags and hands Main a function that
// turns operands into an Answer or an error. Everything that leaves the process
// leaves it here: the envelope and its other forms, usage and help, the version,
// and the exit status (0 done, 1 refused or failed, 2 usage, 128+n ended by
// signal n). The environment is read here and handed on.
package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/later"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/release"
	"github.com/cniska/agent-worktree/lib/toon"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// Program is the name in front of every verb, in acts, usage and notes.
const Program = "agent-worktree"

// Answer is what a verb that succeeded has to say.
type Answer struct {
	// Result is the envelope's result; nil prints as null.
	Result toon.Object
	// Rows is what --plain prints: cells as they are, each nil, a bool, an int or
	// a string.
	Rows [][]any
	// Line, when set, is printed alone on a line and replaces the envelope.
	Line string
	// Silent prints nothing at all.
	Silent bool
	// Status is the exit status of this success, such as doctor's 1.
	Status int
}

// Run does a verb's work. A *refuse.Refusal is printed as one, an error that has
// a Fault method as that fault, and any other error as the fault internal.
type Run func(ctx context.Context, p *Process) (Answer, error)

// Main runs one tool and ends the process. verb names a row of verbs.All; flags
// holds the verb's own options, where a value option's usage text has its
// placeholder in back quotes. The forms, help and version are added to them.
func Main(verb string, flags *ff.FlagSet, run Run) {
	row, ok := verbs.Find(verb)
	if !ok {
		panic("cli: no verb " + verb)
	}
	t := tool{verb: row, flags: flags, run: run}
	os.Exit(t.execute(fromOS()))
}

// system is what a tool is given by the operating system.
type system struct {
	args           []string
	env            []string
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool
	goos           string
	later          func(args ...string) error
}

func fromOS() system {
	return system{
		args:     os.Args[1:],
		env:      os.Environ(),
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		terminal: isTerminal(os.Stderr),
		goos:     runtime.GOOS,
		later:    later.Start,
	}
}

type tool struct {
	verb  verbs.Verb
	flags *ff.FlagSet
	run   Run
}

// execute is a whole run but for leaving the process: its exit status.
func (t tool) execute(s system) int {
	line, err := parse(t.verb, t.flags, s.args)
	out := printer{command: line.command, form: line.form, stdout: s.stdout, stderr: s.stderr}
	notice(t.verb.Name, lookup(s.env), s.stderr)
	if t.verb.Name == "hook" {
		out.held = hold()
	}
	switch {
	case err != nil:
		return out.fail(err)
	case line.version:
		return out.succeed(VersionAnswer())
	case line.help:
		return out.succeed(helpAnswer(t.verb))
	}
	if err := checkPlatform(s.goos); err != nil {
		return out.fail(err)
	}
	ctx, stop := t.watch()
	answer, err := t.guard(ctx, t.process(s, line, out))
	if err != nil && stop.status() != 0 {
		return out.interrupted(err, stop.status())
	}
	if err != nil {
		return out.fail(err)
	}
	return out.succeed(answer)
}

// watch has signals caught: not for path, which is over at once and starts nothing, and
// for ls only once it takes its time.
func (t tool) watch() (context.Context, *stopper) {
	switch t.verb.Name {
	case "path":
		return context.Background(), &stopper{}
	case "ls":
		return watchSignalsAfter(short)
	}
	return watchSignals()
}

// process is what the verb sees. Under hook its notes and what project hooks
// print are held back, so that the first line of stderr can be the reason.
func (t tool) process(s system, line commandLine, out printer) *Process {
	world := World{Env: s.env, Stdin: s.stdin, Stderr: s.stderr, Terminal: s.terminal, Later: s.later}
	p := &Process{
		World: world, Args: line.operands, verb: t.verb, flags: t.flags, nul: line.form.nul,
	}
	if dir, err := os.Getwd(); err == nil {
		p.Dir = dir
	}
	if out.held != nil {
		p.Stderr, p.Terminal = out.held.writer(), false
	}
	return p
}

// guard runs the verb and turns a panic into a fault, whose meta has the stack.
func (t tool) guard(ctx context.Context, p *Process) (answer Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			stack := strings.Split(string(bytes.TrimSpace(debug.Stack())), "\n")
			err = &refuse.Fault{
				Code:    refuse.Internal,
				Message: fmt.Sprintf("%s panicked: %v", t.verb.Name, v),
				Meta:    refuse.Meta{{Key: "stack", Value: stack}},
			}
		}
	}()
	return t.run(ctx, p)
}

// VersionAnswer is the version alone on a line.
func VersionAnswer() Answer { return Answer{Line: release.Version()} }

func helpAnswer(verb verbs.Verb) Answer {
	return Answer{
		Result: toon.Object{{Key: "usage", Value: verb.Usage}, {Key: "summary", Value: verb.Summary}},
		Rows:   [][]any{{verb.Usage, verb.Summary}},
	}
}

func checkPlatform(goos string) error {
	if goos == "linux" || goos == "darwin" {
		return nil
	}
	return &refuse.Refusal{
		Code:    refuse.UnsupportedPlatform,
		Message: Program + " does not run on " + goos,
		Meta:    refuse.Meta{{Key: "platform", Value: goos}},
		Resolve: "run it on Linux or macOS, or under WSL",
	}
}

// isTerminal reports whether f looks like one: a character device that is not
// the null device, which is where scripts send what nobody reads.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
