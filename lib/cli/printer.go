package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/toon"
)

// brokenPipe is the status that a shell gives for a process ended by SIGPIPE.
const brokenPipe = 128 + 13

// printer is where everything a tool says leaves it, and how it says it.
type printer struct {
	command        string
	form           Form
	stdout, stderr io.Writer
	held           *held // under hook: what was printed to stderr so far
}

// held keeps what is written to stderr until the end. It is a file that has no name any
// more, so that a project hook gets the file itself: a server which the hook leaves
// running then keeps no stream of the client's, and none that closes on it.
type held struct {
	file *os.File // nil where no file could be made
	mu   sync.Mutex
	text bytes.Buffer // what is kept instead of in a file
}

func hold() *held {
	file, err := os.CreateTemp("", "agent-worktree-*")
	if err != nil {
		return &held{}
	}
	os.Remove(file.Name())
	return &held{file: file}
}

// writer is what World.Stderr is.
func (h *held) writer() io.Writer {
	if h.file != nil {
		return h.file
	}
	return h
}

// Write keeps b in memory; it may be called from any goroutine.
func (h *held) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

// flush writes what was kept to out. Whoever else has the file shares its offset, which
// is left where it is.
func (h *held) flush(out io.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.WriteTo(out)
	if h.file == nil {
		return
	}
	if info, err := h.file.Stat(); err == nil {
		io.Copy(out, io.NewSectionReader(h.file, 0, info.Size()))
	}
	h.file.Close()
	h.file = nil
}

// Exit prints the answer, or the error, of a command line that no verb's tool
// gets to see, and ends the process.
func Exit(command string, form Form, answer Answer, err error) {
	out := printer{command: command, form: form, stdout: os.Stdout, stderr: os.Stderr}
	notice(command, os.Getenv, os.Stderr)
	if err != nil {
		os.Exit(out.fail(err))
	}
	os.Exit(out.succeed(answer))
}

// succeed prints the answer and returns the exit status.
func (p printer) succeed(a Answer) int {
	text, err := p.render(a)
	if err != nil {
		return p.fail(fmt.Errorf("cannot encode the result: %w", err))
	}
	p.release()
	_, err = p.stdout.Write(text)
	switch {
	case errors.Is(err, syscall.EPIPE):
		return brokenPipe
	case err != nil:
		return p.fail(fmt.Errorf("cannot write to standard output: %w", err))
	}
	return a.Status
}

func (p printer) render(a Answer) ([]byte, error) {
	switch {
	case a.Silent:
		return nil, nil
	case a.Line != "":
		return []byte(a.Line + "\n"), nil
	case p.form.plain && !p.form.json:
		return p.form.rows(a.Rows), nil
	}
	doc := toon.Object{
		{Key: "command", Value: p.command},
		{Key: "ok", Value: true},
		{Key: "result", Value: nil},
	}
	if a.Result != nil {
		doc[2].Value = a.Result
	}
	return p.form.encode(doc)
}

// fail prints the error as the last thing on stderr and returns the exit status.
func (p printer) fail(err error) int {
	f := describe(err)
	if p.held != nil {
		fmt.Fprintf(p.stderr, "%s: %s: %s\n", Program, f.code, refuse.Visible(f.message))
	}
	p.release()
	if p.form.plain && !p.form.json {
		fmt.Fprintf(p.stderr, "%s: %s: %s; %s\n",
			Program, f.code, refuse.Visible(f.message), refuse.Visible(f.resolve))
		return f.status
	}
	doc, err := p.form.encode(f.document(p.command))
	if err != nil {
		doc = f.fixed(p)
	}
	p.stderr.Write(doc)
	return f.status
}

// interrupted ends a run that a signal cut short. A refusal still says what
// state things were left in; whatever else failed, the signal was the reason.
func (p printer) interrupted(err error, status int) int {
	if refusal := (*refuse.Refusal)(nil); errors.As(err, &refusal) {
		p.fail(err)
		return status
	}
	fmt.Fprintf(p.stderr, "%s: interrupted\n", Program)
	p.release()
	return status
}

// release lets what was held back go to stderr, once.
func (p printer) release() {
	if p.held == nil {
		return
	}
	p.held.flush(p.stderr)
}
