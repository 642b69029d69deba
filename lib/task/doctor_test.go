package task

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cniska/agent-worktree/lib/ports"
)

func TestJudgeGit(t *testing.T) {
	for text, want := range map[string]string{
		"git version 2.39.5":                 fine,
		"git version 2.39.5 (Apple Git-154)": fine,
		"git version 2.51.0.rc1.12.gabcdef":  fine,
		"git version 3.0.0":                  fine,
		"git version 2.38.9":                 warns,
		"git version 2.33.0":                 warns,
		"git version 2.32.7.windows.1":       fails,
		"git version 1.99.0":                 fails,
		"hello":                              fails,
		"":                                   fails,
	} {
		if _, got, why := judgeGit(text); got != want || (why == "") != (want == fine) {
			t.Errorf("judgeGit(%q) = %s, %q; want %s", text, got, why, want)
		}
	}
}

func TestSearched(t *testing.T) {
	got := searched([]string{"PATH=/first", "HOME=/h", "PATH=/a::bin:.:/b"})
	if want := []string{"/a", "/b"}; !slices.Equal(got, want) {
		t.Errorf("searched: %q; want %q", got, want)
	}
	if got := searched([]string{"HOME=/h"}); len(got) != 0 {
		t.Errorf("searched without PATH: %q; want none", got)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, sub := range []string{"directory/tool", "plain", "whole"} {
		if err := os.MkdirAll(at(sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, mode := range map[string]os.FileMode{"plain/tool": 0o644, "whole/tool": 0o755} {
		if err := os.WriteFile(at(path), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	dirs := []string{at("none"), at("directory"), at("plain"), at("whole")}
	if got := find("tool", dirs); got != at("whole/tool") {
		t.Errorf("find = %q; want the executable file", got)
	}
	if got := find("tool", dirs[:3]); got != "" {
		t.Errorf("find = %q; want nothing", got)
	}
}

func TestFindingsTellTheWorst(t *testing.T) {
	var f findings
	if got, want := f.check("x", "all well"), (Check{"x", fine, "all well", ""}); got != want {
		t.Errorf("no findings: %v; want %v", got, want)
	}
	f.add(warns, "one", "prune")
	f.add(fails, "two", "chmod")
	f.add(warns, "three", "prune")
	if got, want := f.check("x", "all well"), (Check{"x", fails, "one; two; three", "prune; chmod"}); got != want {
		t.Errorf("findings: %v; want %v", got, want)
	}
}

func TestByEntry(t *testing.T) {
	got := byEntry([]ports.Claim{
		{Unit: 24000, Entry: "/a"}, {Unit: 24010, Entry: "/b"}, {Unit: 24020, Err: os.ErrInvalid}, {Unit: 24030, Entry: "/a"},
	})
	if len(got) != 2 || got[0].Entry != "/a" || got[0].Block.String() != "24000-24009,24030-24039" || got[1].Block.String() != "24010-24019" {
		t.Errorf("byEntry: %v", got)
	}
}
