package tests

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/verbs"
)

var update = flag.Bool("update", false, "write the generated documents anew")

// TestDocs holds the generated documents to what they are generated from; make
// docs writes them.
func TestDocs(t *testing.T) {
	watch(t)
	documents, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range documents {
		if *update {
			if err := writeDocument(path, want); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, _ := os.ReadFile(filepath.Join("..", path)); string(got) != want {
			t.Errorf("%s is stale; run make docs", path)
		}
	}
}

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
