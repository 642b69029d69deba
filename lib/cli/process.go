package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// World is the caller's side of a run. Its fields are task.World's, so that a
// main hands it on by a conversion.
type World struct {
	// Dir is the working directory, absolute, or "" when it is gone.
	Dir string
	// Env is the caller's whole environment, as KEY=value.
	Env []string
	// Stdin is the caller's standard input.
	Stdin io.Reader
	// Stderr takes notes and what project hooks print; the error's own document
	// comes after it.
	Stderr io.Writer
	// Terminal says that Stderr is a terminal a person may be watching.
	Terminal bool
	// Later starts this program again with these arguments, for the function that its
	// main gave to Later, and does not wait; nil where a program cannot do that.
	Later func(args ...string) error
}

// Process is what a verb is given: the caller's world, and its operands.
type Process struct {
	World
	// Args is the operands, the options taken out.
	Args []string

	verb  verbs.Verb
	flags *ff.FlagSet
	nul   bool
}

// Usage is the refusal of a wrong command line, with the verb's usage as the
// act. Returning it exits 2.
func (p *Process) Usage(format string, args ...any) error {
	return usage(p.verb, nil, format, args...)
}

func usage(verb verbs.Verb, meta refuse.Meta, format string, args ...any) error {
	return &refuse.Refusal{
		Code:    refuse.Usage,
		Message: fmt.Sprintf(format, args...),
		Meta:    meta,
		Resolve: Program + " " + verb.Usage,
	}
}

// None refuses any operand.
func (p *Process) None() error {
	if len(p.Args) == 0 {
		return nil
	}
	return p.Usage("%s takes no argument, and was given %s", p.verb.Name, p.Args[0])
}

// One is the single operand, which the message of the refusal calls what.
func (p *Process) One(what string) (string, error) {
	switch len(p.Args) {
	case 0:
		return "", p.Usage("%s needs a %s", p.verb.Name, what)
	case 1:
		return p.Args[0], nil
	}
	return "", p.Usage("%s takes one %s, not %d", p.verb.Name, what, len(p.Args))
}

// Optional is the single operand, or "" when there is none; an operand that is
// empty is refused, since it could not be told from none.
func (p *Process) Optional(what string) (string, error) {
	if len(p.Args) == 0 {
		return "", nil
	}
	operand, err := p.One(what)
	if err == nil && operand == "" {
		err = p.Usage("%s needs a %s that is not empty", p.verb.Name, what)
	}
	return operand, err
}

// Piped reports whether the single operand is -, which stands for Names.
func (p *Process) Piped() bool { return len(p.Args) == 1 && p.Args[0] == "-" }

// Names is what standard input holds: names, one a line, or under -z each ended
// by a NUL. Empty ones are left out.
func (p *Process) Names() (names []string, err error) {
	text, err := io.ReadAll(p.Stdin)
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	separator := "\n"
	if p.nul {
		separator = "\x00"
	}
	for field := range strings.SplitSeq(string(text), separator) {
		if field != "" {
			names = append(names, field)
		}
	}
	return names, nil
}

// OrNull is s as a document's value: null when it is empty.
func OrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Given is the value of an option that was on the command line, or nil.
func (p *Process) Given(option string) *string {
	flag, ok := p.flags.GetFlag(option)
	if !ok || !flag.IsSet() {
		return nil
	}
	value := flag.GetValue()
	return &value
}
