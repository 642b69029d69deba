package cli

import (
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// commandLine is a command line taken apart; the options' values are in ff.
type commandLine struct {
	command  string // the envelope's command
	form     Form
	help     bool
	version  bool
	operands []string
}

// scanner puts a command line in order for ff, which on its own stops at the
// first operand, drops a lone -, lets --force take a name such as 1 for its
// value, lets --from= and --from take whatever follows, and takes --HELP for
// help. ff is left with what it does well: knowing the options and setting them.
type scanner struct {
	verb    verbs.Verb
	flags   *ff.FlagSet
	line    commandLine
	ordered []string // for ff: the options alone, each value an argument of its own
	seen    []string
	err     error // the first thing wrong
}

// parse takes args apart and sets flags. The command line's command and form
// hold also when there is an error, which is always a usage refusal.
func parse(verb verbs.Verb, flags *ff.FlagSet, args []string) (commandLine, error) {
	s := scanner{verb: verb, flags: flags, line: commandLine{command: verb.Name}}
	if s.hasForms() {
		s.line.form = FormOf(args)
	}
	if len(args) == 1 && args[0] == "--version" {
		s.line.version = true
		return s.line, nil
	}
	if len(args) > 0 && args[0] == "--version" {
		return s.misuse()
	}
	for len(args) > 0 {
		args = args[s.take(args):]
	}
	switch {
	case s.line.help:
		return s.line, nil
	case s.line.version:
		return s.misuse()
	case s.err != nil:
		return s.line, s.err
	}
	if err := flags.Parse(s.ordered); err != nil {
		return s.line, usage(verb, nil, "%v", err)
	}
	return s.line, nil
}

// take reads the first of args and returns how many it used up.
func (s *scanner) take(args []string) int {
	arg := args[0]
	switch {
	case arg == "--":
		s.line.operands = append(s.line.operands, args[1:]...)
		return len(args)
	case arg == "-" || !strings.HasPrefix(arg, "-"):
		s.line.operands = append(s.line.operands, arg)
	case arg == "--help" || arg == "-h":
		s.line.help = true
	case arg == "--version":
		s.line.version = true
	case isForm(arg) && s.hasForms():
		s.takeForm(arg)
	default:
		return s.takeOption(args)
	}
	return 1
}

// takeOption reads an option of the verb's own, and its value where it has one.
func (s *scanner) takeOption(args []string) int {
	name, value, inline := args[0], "", false
	if strings.HasPrefix(name, "--") {
		name, value, inline = strings.Cut(name, "=")
	}
	flag := s.find(name)
	switch {
	case flag == nil:
		s.refuse(name, "unknown option %s", name)
		return 1
	case flag.GetPlaceholder() == "":
		s.takeSwitch(name, inline)
		return 1
	case inline:
		s.takeValue(flag, name, value)
		return 1
	case len(args) < 2 || args[1] == "--":
		s.takeValue(flag, name, "")
		return 1
	case strings.HasPrefix(args[1], "-"):
		s.refuse(name, "%s needs %s; one that starts with - is written %s=%s",
			name, wanted(flag), name, args[1])
		return 2
	}
	s.takeValue(flag, name, args[1])
	return 2
}

// find is the option spelled exactly so, or nil.
func (s *scanner) find(spelling string) ff.Flag {
	flag, ok := s.flags.GetFlag(strings.TrimLeft(spelling, "-"))
	if !ok {
		return nil
	}
	if long, ok := flag.GetLongName(); ok && spelling == "--"+long {
		return flag
	}
	if short, ok := flag.GetShortName(); ok && spelling == "-"+string(short) {
		return flag
	}
	return nil
}

func (s *scanner) takeSwitch(name string, inline bool) {
	if inline {
		s.refuse(name, "%s takes no value", name)
		return
	}
	s.once(name)
	s.ordered = append(s.ordered, name)
}

// takeValue refuses an empty value for every option: there is none for which it
// means something, and a script's unset variable must not pass for a choice.
func (s *scanner) takeValue(flag ff.Flag, name, value string) {
	if value == "" {
		s.refuse(name, "%s needs %s", name, wanted(flag))
		return
	}
	if !repeats(s.verb, name) {
		s.once(name)
	}
	s.ordered = append(s.ordered, name, value)
}

// takeForm checks what FormOf has read already.
func (s *scanner) takeForm(arg string) {
	s.once(arg)
	json := slices.Contains(s.seen, "--json")
	if json && (slices.Contains(s.seen, "--plain") || slices.Contains(s.seen, "-z")) {
		s.refuse("--json", "--json goes with neither --plain nor -z")
	}
}

// hasForms tells the verbs with an envelope from hook, which has a line.
func (s *scanner) hasForms() bool { return s.verb.Name != "hook" }

func (s *scanner) once(name string) {
	if slices.Contains(s.seen, name) {
		s.refuse(name, "%s is given twice", name)
	}
	s.seen = append(s.seen, name)
}

func (s *scanner) refuse(option, format string, args ...any) {
	if s.err == nil {
		meta := refuse.Meta{{Key: "option", Value: option}}
		s.err = usage(s.verb, meta, format, args...)
	}
}

// misuse refuses --version with anything beside it, in the dispatcher's name
// whichever tool was asked: the version is the release's, not a verb's.
func (s *scanner) misuse() (commandLine, error) {
	s.line.command, s.line.version = Program, false
	return s.line, VersionMisuse()
}

// VersionMisuse is the refusal of --version with anything beside it.
func VersionMisuse() error {
	return usage(verbs.Verb{Usage: "--version"}, nil, "--version stands alone")
}

// wanted words an option's placeholder, such as "a ref".
func wanted(flag ff.Flag) string {
	placeholder := flag.GetPlaceholder()
	if strings.ContainsRune("aeiou", rune(placeholder[0])) {
		return "an " + placeholder
	}
	return "a " + placeholder
}

// repeats reports whether the verb's usage lets the option occur more than once.
func repeats(verb verbs.Verb, option string) bool {
	_, rest, _ := strings.Cut(verb.Usage, "["+option+" <")
	_, rest, _ = strings.Cut(rest, ">]")
	return strings.HasPrefix(rest, "...")
}
