package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peterbourgon/ff/v4"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// sample has every kind of option: a value, a short one, a switch, a list.
var sample = verbs.Verb{
	Name: "create", Binary: "aw-create", Summary: "do it",
	Usage: "create [--from <ref>] [-o <list>] [--force] [--keep <pattern>]... <name>",
}

type sampleFlags struct {
	set     *ff.FlagSet
	from, o *string
	force   *bool
	keep    *[]string
}

func newSample() sampleFlags {
	set := ff.NewFlagSet("create")
	return sampleFlags{
		set:   set,
		from:  set.StringLong("from", "", "cut from `ref`"),
		o:     set.StringShort('o', "", "an `item list`"),
		force: set.BoolLong("force", "do it anyway"),
		keep:  set.StringListLong("keep", "keep a `pattern`"),
	}
}

// parsed is command lines and what they come to.
var parsed = []struct {
	args     string // parted by blanks; '' is an empty argument
	operands string
	options  string // from|o|force|keep
}{
	{"", "", "||false|"},
	{"task-a", "task-a", "||false|"},
	{"--from main task-a", "task-a", "main||false|"},
	{"task-a --from main", "task-a", "main||false|"},
	{"task-a --from=main", "task-a", "main||false|"},
	{"--from=-x task-a", "task-a", "-x||false|"},
	{"--from=a=b task-a", "task-a", "a=b||false|"},
	{"--from 1 task-a", "task-a", "1||false|"},
	{"--force 1", "1", "||true|"},
	{"--force t x", "t x", "||true|"},
	{"--force false", "false", "||true|"},
	{"1 --force", "1", "||true|"},
	{"-", "-", "||false|"},
	{"- --force", "-", "||true|"},
	{"a - b", "a - b", "||false|"},
	{"--force -- --from x", "--from x", "||true|"},
	{"a -- b", "a b", "||false|"},
	{"a -- -- -", "a -- -", "||false|"},
	{"-o name,state x", "x", "|name,state|false|"},
	{"--keep *.db --keep=b,c x", "x", "||false|*.db b,c"},
	{"'' x", "'' x", "||false|"},
	{"-- --help", "--help", "||false|"},
	{"-- --version", "--version", "||false|"},
	{"x --json", "x", "||false|"},
	{"-z x --plain", "x", "||false|"},
}

func TestParse(t *testing.T) {
	for _, test := range parsed {
		f := newSample()
		line, err := parse(sample, f.set, words(test.args))
		options := strings.Join([]string{*f.from, *f.o, boolText(*f.force), strings.Join(*f.keep, " ")}, "|")
		if err != nil || line.help || line.version ||
			!slices.Equal(line.operands, words(test.operands)) || options != test.options {
			t.Errorf("parse(%s) = %v, options %s, %v; want %s, options %s",
				test.args, line, options, err, test.operands, test.options)
		}
	}
}

// misused is command lines that are usage refusals.
var misused = []struct{ args, message string }{
	{"--bogus x", "unknown option --bogus"},
	{"--from", "--from needs a ref"},
	{"--from=", "--from needs a ref"},
	{"--from= task-a", "--from needs a ref"},
	{"--from '' task-a", "--from needs a ref"},
	{"--from -- x", "--from needs a ref"},
	{"--from --help", "--from needs a ref; one that starts with - is written --from=--help"},
	{"--from - x", "--from needs a ref; one that starts with - is written --from=-"},
	{"--from --version", "--from needs a ref; one that starts with - is written --from=--version"},
	{"-o", "-o needs an item list"},
	{"-o ''", "-o needs an item list"},
	{"--keep ''", "--keep needs a pattern"},
	{"--force=x a", "--force takes no value"},
	{"--force= a", "--force takes no value"},
	{"--force=true a", "--force takes no value"},
	{"--from a --from b", "--from is given twice"},
	{"--from a --from=a", "--from is given twice"},
	{"--force --force", "--force is given twice"},
	{"--json --json", "--json is given twice"},
	{"--HELP", "unknown option --HELP"},
	{"--help=x", "unknown option --help"},
	{"--version=x", "unknown option --version"},
	{"--json=x", "unknown option --json"},
	{"-from x", "unknown option -from"},
	{"-oname", "unknown option -oname"},
	{"-o=name", "unknown option -o=name"},
	{"-zz", "unknown option -zz"},
	{"-force", "unknown option -force"},
	{"--o name", "unknown option --o"},
	{"-x", "unknown option -x"},
	{"--=x", "unknown option --"},
	{"--json --plain", "--json goes with neither --plain nor -z"},
	{"-z --json", "--json goes with neither --plain nor -z"},
	{"a --bogus --force --force", "unknown option --bogus"},
}

func TestParseRefuses(t *testing.T) {
	for _, test := range misused {
		line, err := parse(sample, newSample().set, words(test.args))
		var r *refuse.Refusal
		if !errors.As(err, &r) || r.Message != test.message {
			t.Errorf("parse(%s) = %v; want %q", test.args, err, test.message)
			continue
		}
		if want := "agent-worktree " + sample.Usage; r.Code != refuse.Usage || r.Resolve != want {
			t.Errorf("parse(%s) = %s, act %q; want usage, %q", test.args, r.Code, r.Resolve, want)
		}
		if line.command != "create" {
			t.Errorf("parse(%s) has command %q; want create", test.args, line.command)
		}
	}
}

func TestParseHelp(t *testing.T) {
	for _, args := range []string{
		"--help", "-h", "x --help", "--bogus -h", "a b c --help", "--from a --from b --help",
		"--help --version", "--json --plain --help", "--help -- x", "--from --bogus --help",
	} {
		if line, err := parse(sample, newSample().set, words(args)); err != nil || !line.help {
			t.Errorf("parse(%s) = %v, %v; want help", args, line, err)
		}
	}
}

func TestParseVersion(t *testing.T) {
	line, err := parse(sample, newSample().set, []string{"--version"})
	if err != nil || !line.version {
		t.Errorf("parse(--version) = %v, %v; want the version", line, err)
	}
	for _, args := range []string{
		"--version x", "--version --json", "--version --help", "--version --version",
		"x --version", "--bogus --version", "--force --version",
	} {
		line, err := parse(sample, newSample().set, words(args))
		var r *refuse.Refusal
		if !errors.As(err, &r) || r.Code != refuse.Usage || r.Resolve != "agent-worktree --version" {
			t.Errorf("parse(%s) = %v; want usage of --version", args, err)
		}
		if line.command != "agent-worktree" || line.version {
			t.Errorf("parse(%s) = %v; want command agent-worktree and no version", args, line)
		}
	}
}

func TestFormOf(t *testing.T) {
	tests := []struct {
		args string
		want Form
	}{
		{"x", Form{}},
		{"x --json", Form{json: true}},
		{"--plain --bogus", Form{plain: true}},
		{"-z", Form{plain: true, nul: true}},
		{"-- --json", Form{}},
		{"--json=x", Form{}},
	}
	for _, test := range tests {
		if got := FormOf(words(test.args)); got != test.want {
			t.Errorf("FormOf(%s) = %v; want %v", test.args, got, test.want)
		}
	}
}

// TestHookHasNoForms: hook's stdout is a line that another program reads.
func TestHookHasNoForms(t *testing.T) {
	hook, _ := verbs.Find("hook")
	for _, arg := range []string{"--json", "--plain", "-z"} {
		line, err := parse(hook, ff.NewFlagSet("hook"), []string{arg})
		if err == nil || line.form != (Form{}) {
			t.Errorf("parse(hook %s) = %v, %v; want usage as TOON", arg, line, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("--from x --force 1 - -- --help")
	f.Add("--keep a --keep= -oz -z --json --version")
	f.Fuzz(func(t *testing.T, args string) {
		list := words(args)
		line, err := parse(sample, newSample().set, list)
		var r *refuse.Refusal
		if err != nil && (!errors.As(err, &r) || r.Code != refuse.Usage) {
			t.Errorf("parse(%q) = %v; want usage or none", list, err)
		}
		if err == nil && !line.help && slices.Contains(list, "-") && len(line.operands) == 0 {
			t.Errorf("parse(%q) lost an operand", list)
		}
	})
}

// words is text parted at blanks; two single quotes are an empty argument.
func words(text string) []string {
	list := strings.Fields(text)
	for i, word := range list {
		if word == "''" {
			list[i] = ""
		}
	}
	return list
}

func boolText(b bool) string { return (Form{}).cell(b) }
