package refuse

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"plain text, ünïcode 日本", "plain text, ünïcode 日本"},
		{`C:\x1b`, `C:\x1b`},
		{"a\x1b[31mb", `a\x1b[31mb`},
		{"a\nb\rc\td", `a\nb\rc\td`},
		{"\x00\x07\x7f", `\x00\x07\x7f`},
		{"\u009b31m", `\u009b31m`},
		{"\u202eexe.txt", `\u202eexe.txt`},
		{"a\u200bb\ufeffc\u2066d\u00ade", `a\u200bb\ufeffc\u2066d\u00ade`},
		{"\u2028", `\u2028`},
		{"\U000e0041", `\U000e0041`},
		{"caf\xe9 x", `caf\xe9 x`},
		{"\xe2\x80", `\xe2\x80`},
		{"real \ufffd stays", "real \ufffd stays"},
	}
	for _, test := range tests {
		if got := Visible(test.in); got != test.want {
			t.Errorf("Visible(%q) = %q; want %q", test.in, got, test.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if !utf8.ValidString(got) || firstHidden(got) >= 0 {
			t.Errorf("Visible(%q) = %q; want nothing hidden in it", s, got)
		}
		if again := Visible(got); again != got {
			t.Errorf("Visible(%q) = %q; want it unchanged", got, again)
		}
	})
}

func TestFaultIsFoundInChain(t *testing.T) {
	inner := &Fault{Code: GitFailed, Message: "git failed"}
	var found interface{ Fault() *Fault }
	if !errors.As(fmt.Errorf("read: %w", inner), &found) || found.Fault() != inner {
		t.Errorf("errors.As found %v; want the fault", found)
	}
}

// TestCodes holds codes.go to its form: every code is spelled in snake case as
// its constant is in camel case, once, with a comment that says when.
func TestCodes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	before := regexp.MustCompile(`(.)([A-Z][a-z])`)
	article := regexp.MustCompile(`([a-z])([A-Z])`)
	seen := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		seen++
		name := spec.Names[0].Name
		code, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		words := article.ReplaceAllString(before.ReplaceAllString(name, "${1}_${2}"), "${1}_${2}")
		want := strings.ToLower(words)
		if code != want {
			t.Errorf("%s = %q; want %q", name, code, want)
		}
		if !strings.HasPrefix(spec.Doc.Text(), name+": ") {
			t.Errorf("%s: its comment starts %.20q; want %q", name, spec.Doc.Text(), name+": ")
		}
		return true
	})
	if seen < 50 {
		t.Errorf("codes.go has %d codes; want them all", seen)
	}
}
