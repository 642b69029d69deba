package tests

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/cniska/agent-worktree/"

// owners says which packages may import a package from outside the module. A
// trailing slash stands for all below.
var owners = map[string][]string{
	"github.com/peterbourgon/ff/v4":  {"lib/cli", "cmd/"},
	"github.com/toon-format/toon-go": {"lib/toon"},
	"golang.org/x/sync/errgroup":     {"lib/task", "lib/settle"},
}

// mayImport lists the packages of ours that a package may import; a package not
// listed may import any but cli and task.
var mayImport = map[string][]string{
	"lib/refuse": {},
	"lib/verbs":  {},
	"lib/toon":   {"lib/refuse"},
	"lib/cli":    {"lib/verbs", "lib/refuse", "lib/toon", "lib/release", "lib/later"},
	"cmd/":       {"lib/cli", "lib/task", "lib/verbs", "lib/refuse", "lib/toon", "lib/release"},
}

// mayCall lists the packages that may call a function of the standard library.
// lib/git alone starts git; lib/ledger starts ps where there is no /proc, and
// lib/settle gh. lib/fault reads its orders, and runs one, in builds tagged faultinject alone.
var mayCall = map[string][]string{
	"os.Exit":             {"lib/cli", "cmd/agent-worktree"},
	"os.Getenv":           {"lib/cli", "cmd/agent-worktree", "lib/fault"},
	"os.LookupEnv":        {"lib/cli", "cmd/agent-worktree"},
	"os.Environ":          {"lib/cli", "cmd/agent-worktree"},
	"os.Setenv":           {},
	"os.Chdir":            {},
	"os.StartProcess":     {},
	"exec.Command":        {"lib/fault", "lib/git", "lib/hooks", "lib/ledger", "lib/settle", "lib/release", "lib/later", "cmd/agent-worktree"},
	"exec.CommandContext": {"lib/git", "lib/hooks", "lib/ledger", "lib/settle", "lib/release", "cmd/agent-worktree"},
	"syscall.Exec":        {"cmd/agent-worktree"},
}

// within reports whether a package is one of those listed.
func within(pkg string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		return pkg == entry || strings.HasSuffix(entry, "/") && strings.HasPrefix(pkg, entry)
	})
}

type pkg struct {
	ImportPath, Dir string
	Imports         []string
}

// packages lists our packages by their path below the module.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	list := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Imports", "./cmd/...", "./lib/...")
	list.Dir = ".."
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string]pkg{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found[strings.TrimPrefix(p.ImportPath, module)] = p
	}
}

// TestImports holds every package to what it may import.
func TestImports(t *testing.T) {
	watch(t)
	for name, p := range packages(t) {
		for _, path := range p.Imports {
			if ours, ok := strings.CutPrefix(path, module); ok {
				if !importable(name, ours) {
					t.Errorf("%s imports %s", name, ours)
				}
			} else if strings.Contains(path, ".") && !within(name, owners[path]) {
				t.Errorf("%s imports %s; want only %v to", name, path, owners[path])
			}
		}
	}
}

func importable(name, ours string) bool {
	for owner, list := range mayImport {
		if within(name, []string{owner}) {
			return slices.Contains(list, ours)
		}
	}
	return strings.HasPrefix(ours, "lib/") && ours != "lib/cli" && ours != "lib/task"
}

// TestShape holds files and functions to their size, and calls with an effect
// on the whole process to the packages that own them.
func TestShape(t *testing.T) {
	watch(t)
	for name, p := range packages(t) {
		if slices.Contains([]string{"util", "utils", "common", "helpers", "types"}, filepath.Base(name)) {
			t.Errorf("%s: a package is named for what it owns", name)
		}
		paths, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") {
				checkFile(t, name, path)
			}
		}
	}
}

func checkFile(t *testing.T, name, path string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	short := name + "/" + filepath.Base(path)
	limit := 300
	if filepath.Base(path) == "main.go" {
		limit = 60
	}
	if lines := fset.File(file.Pos()).LineCount() - 1; lines > limit {
		t.Errorf("%s has %d lines; want at most %d", short, lines, limit)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if lines := fset.Position(n.End()).Line - fset.Position(n.Pos()).Line + 1; lines > 40 {
				t.Errorf("%s: %s has %d lines; want at most 40", short, n.Name.Name, lines)
			}
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			if x == nil {
				break
			}
			call := x.Name + "." + n.Sel.Name
			if list, ok := mayCall[call]; ok && !within(name, list) {
				t.Errorf("%s: %s; want only %v to", fset.Position(n.Pos()), call, list)
			}
		}
		return true
	})
}

// TestNoMachinePaths keeps the paths of the machine the project was made on out
// of it.
func TestNoMachinePaths(t *testing.T) {
	machine := regexp.MustCompile(`/wor` + `k/(main|shared)\b|/tm` + `p/(n|research)\b`)
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Skip("not in a git checkout")
	}
	for _, path := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			continue // deleted, or a link to a directory
		}
		if m := machine.Find(text); m != nil {
			t.Errorf("%s holds %s", path, m)
		}
	}
}
