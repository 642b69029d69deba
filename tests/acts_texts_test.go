//go:build unix

package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// apart are the codes that no deed tries, and why.
var apart = map[string]string{
	"unsupported_platform": "no other system is at hand; TestCheckPlatform of lib/cli meets it",
}

// unmet are the texts of acts that no deed meets, and why.
var unmet = map[string]string{
	"run it on Linux or macOS, or under WSL": "that is the act of unsupported_platform",
}

// TestActOfEveryCode holds the deeds to the codes there are.
func TestActOfEveryCode(t *testing.T) {
	list, err := codes()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"": true}
	for _, c := range list {
		known[c.value] = true
	}
	for _, c := range shimActs {
		known[c.code] = true
	}
	tried := map[string]bool{}
	for _, d := range deeds {
		tried[d.code] = true
		if !known[d.code] {
			t.Errorf("a deed tries %s, which is no code", d.code)
		}
		if d.why == "" && (d.hand != "" || d.again != "") {
			t.Errorf("%s %s does not say why a shell cannot do it", d.code, d.name)
		}
		if d.code == "" && d.row == "" {
			t.Errorf("%s names neither a code nor a row", d.name)
		}
	}
	for code := range known {
		switch {
		case code == "":
		case tried[code] && apart[code] != "":
			t.Errorf("%s is tried; take it off the list", code)
		case !tried[code] && apart[code] == "":
			t.Errorf("no deed tries what %s says", code)
		}
	}
}

// everyText holds what the deeds met to the source: each literal text of an act there was
// met in some act.
func everyText(t *testing.T) {
	s := readSource(t)
	s.acts()
	for _, text := range s.texts {
		seen := slices.ContainsFunc(met.texts, func(act string) bool { return strings.Contains(act, text) })
		switch {
		case seen && unmet[text] != "":
			t.Errorf("%q is met; take it off the list", text)
		case !seen && unmet[text] == "" && met.skipped > 0:
			t.Logf("%q is met nowhere, with %d deeds skipped", text, met.skipped)
		case !seen && unmet[text] == "":
			t.Errorf("no deed meets the act with %q", text)
		}
	}
}

// A source is the code of the tools, as far as acts are concerned.
type source struct {
	decls []decl
	seen  map[ast.Node]bool
	texts []string // literal parts of acts
}

// A decl is one function, with the package that has it.
type decl struct {
	*ast.FuncDecl
	pkg string
}

func readSource(t *testing.T) *source {
	s := &source{seen: map[ast.Node]bool{}}
	for name, p := range packages(t) {
		paths, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					s.decls = append(s.decls, decl{f, filepath.Base(name)})
				}
			}
		}
	}
	return s
}

// isAct tells whether a field of that name holds an act.
func isAct(name string) bool { return name == "Resolve" || name == "Fix" }

// acts finds every expression that is put into such a field, and takes it apart; advice
// returns acts too.
func (s *source) acts() {
	for _, f := range s.decls {
		ast.Inspect(f.FuncDecl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && isAct(key.Name) {
					s.take(f, n.Value)
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if to, ok := to.(*ast.SelectorExpr); ok && isAct(to.Sel.Name) {
						s.assigned(f, n, i)
					}
				}
			}
			return true
		})
		if f.Name.Name == "advice" {
			s.returned(f, 0)
		}
	}
	slices.Sort(s.texts)
	s.texts = slices.Compact(s.texts)
}

// data are the functions that put a path, a name or a number into an act; so do those of
// filepath.
var data = strings.Fields("Shell shellWord quote Visible Itoa File Path")

// take takes an expression in a function apart: literals, and what its names and calls
// stand for.
func (s *source) take(f decl, e ast.Node) {
	if s.seen[e] {
		return
	}
	s.seen[e] = true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			s.literal(n)
		case *ast.CallExpr:
			if on, name := callee(n); on == "filepath" || slices.Contains(data, name) {
				return false
			}
			for _, called := range s.called(f, n) {
				s.returned(called, 0)
			}
		case *ast.SelectorExpr, *ast.IndexExpr:
			return false // a field, the name of what is called, one of a list of names
		case *ast.Ident:
			s.variable(f, n.Name)
		}
		return true
	})
}

var holes = regexp.MustCompile(`%[a-z]|['"\n]`)

func (s *source) literal(n *ast.BasicLit) {
	if n.Kind != token.STRING {
		return
	}
	text, _ := strconv.Unquote(n.Value)
	for _, part := range holes.Split(text, -1) {
		if part = strings.Trim(part, " ,;:"); len(part) > 3 {
			s.texts = append(s.texts, part)
		}
	}
}

// callee is the name of what is called, and before its dot what it is called on or the
// package it is from.
func callee(call *ast.CallExpr) (on, name string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return "", f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name, f.Sel.Name
		}
		return "?", f.Sel.Name
	}
	return "", ""
}

// called are our functions that a call within f may mean.
func (s *source) called(f decl, call *ast.CallExpr) (list []decl) {
	on, name := callee(call)
	for _, d := range s.decls {
		switch {
		case d.Name.Name != name:
		case d.Recv == nil && (on == "" && d.pkg == f.pkg || on == d.pkg),
			d.Recv != nil && on != "" && (d.pkg == f.pkg || d.Name.IsExported()):
			list = append(list, d)
		}
	}
	return list
}

// returned takes apart what a function returns in one place.
func (s *source) returned(f decl, at int) {
	ast.Inspect(f.FuncDecl, func(n ast.Node) bool {
		back, ok := n.(*ast.ReturnStmt)
		switch {
		case !ok:
		case at < len(back.Results):
			s.take(f, back.Results[at])
		case len(back.Results) == 1:
			s.passed(f, back.Results[0], at)
		}
		return true
	})
}

// passed takes apart one of several results that a call gives at once.
func (s *source) passed(f decl, e ast.Expr, at int) {
	call, ok := e.(*ast.CallExpr)
	if !ok || s.seen[call] {
		return
	}
	s.seen[call] = true
	for _, called := range s.called(f, call) {
		s.returned(called, at)
	}
}

// variable takes apart all that is put into a variable of the function, or handed to it.
func (s *source) variable(f decl, name string) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if n, ok := n.(*ast.AssignStmt); ok {
			for i, to := range n.Lhs {
				if to, ok := to.(*ast.Ident); ok && to.Name == name {
					s.assigned(f, n, i)
				}
			}
		}
		return true
	})
	at := 0
	for _, field := range f.Type.Params.List {
		for _, param := range field.Names {
			if kind, ok := field.Type.(*ast.Ident); ok && kind.Name == "string" && param.Name == name {
				s.handed(f, at)
			}
			at++
		}
	}
}

// assigned takes apart what an assignment puts into its left side's i-th place.
func (s *source) assigned(f decl, n *ast.AssignStmt, i int) {
	if len(n.Rhs) == len(n.Lhs) {
		s.take(f, n.Rhs[i])
	} else {
		s.passed(f, n.Rhs[0], i)
	}
}

// handed takes apart what every call of a function hands over in one place.
func (s *source) handed(to decl, at int) {
	for _, f := range s.decls {
		ast.Inspect(f.FuncDecl, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || at >= len(call.Args) {
				return true
			}
			if _, name := callee(call); name == to.Name.Name && slices.Contains(s.called(f, call), to) {
				s.take(f, call.Args[at])
			}
			return true
		})
	}
}
