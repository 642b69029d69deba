package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/release"
	"github.com/cniska/agent-worktree/lib/toon"
	"github.com/cniska/agent-worktree/lib/verbs"
)

// place makes an executable file and returns its path.
func place(t *testing.T, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// plantFalse makes what must not be taken for aw-ls: the dispatcher under that
// name, a file that is not executable, and a directory.
func plantFalse(t *testing.T, dir, self string) {
	t.Helper()
	for _, link := range []string{"soft", "hard"} {
		if err := os.Mkdir(filepath.Join(dir, link), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(self, filepath.Join(dir, "soft", "aw-ls")); err != nil {
		t.Skip(err)
	}
	if err := os.Link(self, filepath.Join(dir, "hard", "aw-ls")); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(place(t, dir, "text", "aw-ls"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "text", "aw-ls"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder", "aw-ls"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	self := place(t, dir, "bin", "agent-worktree")
	first, second := place(t, dir, "one", "aw-ls"), place(t, dir, "two", "aw-ls")
	plantFalse(t, dir, self)
	tests := []struct{ dirs, want string }{
		{"one two", first},
		{"two one", second},
		{"none two", second},
		{"soft hard text folder one", first},
		{"soft hard", ""},
		{"bin", ""},
	}
	for _, test := range tests {
		dirs := []string{}
		for name := range strings.FieldsSeq(test.dirs) {
			dirs = append(dirs, filepath.Join(dir, name))
		}
		if got := find(self, "aw-ls", dirs); got != test.want {
			t.Errorf("find in %s = %q; want %q", test.dirs, got, test.want)
		}
	}
}

func TestBesides(t *testing.T) {
	want := []string{filepath.FromSlash("/p/bin"), filepath.FromSlash("/p/libexec/agent-worktree")}
	if got := besides(filepath.FromSlash("/p/bin/agent-worktree")); !slices.Equal(got, want) {
		t.Errorf("besides = %q; want %q", got, want)
	}
}

func TestSearchPathLeavesRelativeDirectories(t *testing.T) {
	absolute := t.TempDir()
	list := strings.Join([]string{"", ".", "bin", absolute}, string(os.PathListSeparator))
	if got := searchPath(list); !slices.Equal(got, []string{absolute}) {
		t.Errorf("searchPath(%q) = %q; want %q alone", list, got, absolute)
	}
}

func TestLocate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	extra, create := place(t, dir, "aw-extra"), place(t, dir, "aw-create")
	place(t, dir, "aw-", "x")
	tests := []struct {
		word, command, path string
		code                refuse.Code
	}{
		{"create", "create", create, ""},
		{"extra", "agent-worktree", extra, ""},
		{"remove", "remove", "", refuse.ToolNotInstalled},
		{"nope", "agent-worktree", "", refuse.Usage},
		{"", "agent-worktree", "", refuse.Usage},
		{"/x", "agent-worktree", "", refuse.Usage},
		{"CREATE", "agent-worktree", "", refuse.Usage},
	}
	for _, test := range tests {
		command, path, err := locate(test.word)
		if command != test.command || path != test.path || code(err) != test.code {
			t.Errorf("locate(%q) = %q, %q, %v; want %q, %q, %q",
				test.word, command, path, err, test.command, test.path, test.code)
		}
	}
}

func TestNotInstalledNamesWhereItLooked(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	_, _, err := locate("remove")
	var r *refuse.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("locate(remove) = %v; want a refusal", err)
	}
	searched, _ := r.Meta[1].Value.([]string)
	if r.Meta[0].Value != "aw-remove" || len(searched) != 3 || searched[2] != dir {
		t.Errorf("meta = %v; want the tool and three directories, %s last", r.Meta, dir)
	}
}

func code(err error) refuse.Code {
	var r *refuse.Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}

func TestOnlyForms(t *testing.T) {
	tests := []struct {
		args string
		want bool
	}{
		{"", true},
		{"--json", true},
		{"--plain -z", true},
		{"--full", false},
		{"--json ls", false},
	}
	for _, test := range tests {
		if got := onlyForms(strings.Fields(test.args)); got != test.want {
			t.Errorf("onlyForms(%s) = %v; want %v", test.args, got, test.want)
		}
	}
}

func TestOwn(t *testing.T) {
	version := cli.Answer{Line: release.Version()}
	tests := []struct {
		args string
		want cli.Answer
		code refuse.Code
	}{
		{"--version", version, ""},
		{"--version x", cli.Answer{}, refuse.Usage},
		{"--version --help", cli.Answer{}, refuse.Usage},
		{"--json --version", cli.Answer{}, refuse.Usage},
		{"--help", help(), ""},
		{"-h", help(), ""},
		{"--json --help", help(), ""},
		{"--bogus --help", help(), ""},
		{"--full", cli.Answer{}, refuse.Usage},
		{"--json ls", cli.Answer{}, refuse.Usage},
		{"--", cli.Answer{}, refuse.Usage},
		{"-- --help", cli.Answer{}, refuse.Usage},
	}
	for _, test := range tests {
		got, err := own(strings.Fields(test.args))
		if !reflect.DeepEqual(got, test.want) || code(err) != test.code {
			t.Errorf("own(%s) = %v, %v; want %v, %q", test.args, got, err, test.want, test.code)
		}
	}
}

func TestHelpHasEveryVerbThenTheVersion(t *testing.T) {
	table, _ := help().Result[0].Value.(toon.Table)
	if len(table.Rows) != len(verbs.All)+1 {
		t.Fatalf("help has %d rows; want every verb's and the version's", len(table.Rows))
	}
	for i, verb := range verbs.All {
		if want := []any{verb.Usage, verb.Summary}; !slices.Equal(table.Rows[i], want) {
			t.Errorf("help has %q; want %q", table.Rows[i], want)
		}
	}
	if got := table.Rows[len(verbs.All)][0]; got != "--version" {
		t.Errorf("help ends with %q; want --version", got)
	}
}

// TestManualPages holds each tool's comment, which is its manual page, to the
// table and to one screen.
func TestManualPages(t *testing.T) {
	for _, verb := range verbs.All {
		text, err := os.ReadFile(filepath.Join("..", verb.Binary, "main.go"))
		if err != nil {
			t.Error(err)
			continue
		}
		page, _, _ := strings.Cut(string(text), "\npackage main\n")
		start := "// A" + verb.Binary[1:] + " "
		if !strings.HasPrefix(page, start) {
			t.Errorf("%s: the comment starts %.20q; want %q", verb.Binary, page, start)
		}
		if usage := "// Usage:\n//\n//\tagent-worktree " + verb.Usage + "\n"; !strings.Contains(page, usage) {
			t.Errorf("%s: the comment lacks %q", verb.Binary, usage)
		}
		if lines := strings.Count(string(text), "\n"); lines > 60 {
			t.Errorf("%s: main.go has %d lines; want at most 60", verb.Binary, lines)
		}
	}
}
