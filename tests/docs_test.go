package tests

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/verbs"
)

// TestManualPages holds each tool's doc comment, its manual page, to the usage
// the tool prints.
func TestManualPages(t *testing.T) {
	for _, verb := range verbs.All {
		path := filepath.Join("..", "cmd", verb.Binary, "main.go")
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		page := strings.Join(strings.Fields(file.Doc.Text()), " ")
		if !strings.Contains(page, verb.Usage) {
			t.Errorf("%s: doc comment lacks the usage %q", path, verb.Usage)
		}
	}
}

// TestEveryVerb holds the table of verbs to the tools there are.
func TestEveryVerb(t *testing.T) {
	dirs, err := filepath.Glob("../cmd/aw-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		name := strings.TrimPrefix(filepath.Base(dir), "aw-")
		if _, ok := verbs.Find(name); !ok && name != "latest" {
			t.Errorf("%s has no row in lib/verbs", dir)
		}
	}
}
