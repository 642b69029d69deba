package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/refuse"
)

func TestOperands(t *testing.T) {
	tests := []struct {
		args                string
		none, one, optional string // what each gives: the operand, or - for a refusal
	}{
		{"", "", "-", ""},
		{"a", "-", "a", "a"},
		{"''", "-", "", "-"},
		{"a b", "-", "-", "-"},
	}
	for _, test := range tests {
		p := &Process{Args: words(test.args), verb: sample}
		none := outcome("", p.None())
		one, optional := outcome(p.One("name")), outcome(p.Optional("name"))
		if none != test.none || one != test.one || optional != test.optional {
			t.Errorf("operands %s: None %q, One %q, Optional %q; want %q, %q, %q", test.args,
				none, one, optional, test.none, test.one, test.optional)
		}
	}
}

func outcome(operand string, err error) string {
	var r *refuse.Refusal
	if errors.As(err, &r) && r.Code == refuse.Usage && r.Resolve == "agent-worktree "+sample.Usage {
		return "-"
	}
	return operand
}

func TestNames(t *testing.T) {
	tests := []struct {
		input string
		nul   bool
		want  []string
	}{
		{"", false, nil},
		{"a\nb\n", false, []string{"a", "b"}},
		{"a\n\n b \r\nc", false, []string{"a", " b \r", "c"}},
		{"a\x00b\nc\x00", true, []string{"a", "b\nc"}},
		{"\x00", true, nil},
	}
	for _, test := range tests {
		p := &Process{World: World{Stdin: strings.NewReader(test.input)}, Args: []string{"-"}, nul: test.nul}
		got, err := p.Names()
		if err != nil || !slices.Equal(got, test.want) || !p.Piped() {
			t.Errorf("Names of %q = %q, %v; want %q", test.input, got, err, test.want)
		}
	}
	if (&Process{Args: []string{"-", "-"}}).Piped() || (&Process{Args: []string{"a"}}).Piped() {
		t.Errorf("Piped = true without a lone -; want false")
	}
}

func TestGiven(t *testing.T) {
	f := newSample()
	if _, err := parse(sample, f.set, []string{"--from", "x"}); err != nil {
		t.Fatal(err)
	}
	p := &Process{flags: f.set}
	if got := p.Given("from"); got == nil || *got != "x" {
		t.Errorf("Given(from) = %v; want x", got)
	}
	if got := p.Given("o"); got != nil {
		t.Errorf("Given(o) = %v; want nil", *got)
	}
}
