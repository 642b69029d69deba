package guard_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// Each flags an entry and changes, or does not change, what is there.
func TestHidden(t *testing.T) {
	assume := func(s *scratch, paths ...string) {
		s.git(s.Path, append([]string{"update-index", "--assume-unchanged", "--"}, paths...)...)
	}
	skip := func(s *scratch, paths ...string) {
		s.git(s.Path, append([]string{"update-index", "--skip-worktree", "--"}, paths...)...)
	}
	for name, c := range map[string]struct {
		do     func(s *scratch)
		hidden []string // nil: clean
		plain  bool     // git's own status shows it too
	}{
		"assumed":                 {do: func(s *scratch) { assume(s, "a.txt", "link") }},
		"assumed, edited":         {do: func(s *scratch) { assume(s, "a.txt"); s.put("a.txt", "x") }, hidden: []string{"a.txt"}},
		"assumed, same size":      {do: func(s *scratch) { assume(s, "a.txt"); s.put("a.txt", "eno\n") }, hidden: []string{"a.txt"}},
		"assumed, deleted":        {do: func(s *scratch) { assume(s, "a.txt"); os.Remove(s.at("a.txt")) }, hidden: []string{"a.txt"}},
		"assumed, directory gone": {do: func(s *scratch) { assume(s, "lib/c.txt"); os.RemoveAll(s.at("lib")) }, hidden: []string{"lib/c.txt"}},
		"assumed, executable":     {do: func(s *scratch) { assume(s, "a.txt"); os.Chmod(s.at("a.txt"), 0o755) }, hidden: []string{"a.txt"}},
		"assumed, modes off": {do: func(s *scratch) {
			s.git(s.Path, "config", "core.fileMode", "false")
			assume(s, "a.txt")
			os.Chmod(s.at("a.txt"), 0o755)
		}},
		"assumed, a link now":      {do: func(s *scratch) { assume(s, "a.txt"); os.Remove(s.at("a.txt")); os.Symlink("b.txt", s.at("a.txt")) }, hidden: []string{"a.txt"}},
		"assumed, link moved":      {do: func(s *scratch) { assume(s, "link"); os.Remove(s.at("link")); os.Symlink("b.txt", s.at("link")) }, hidden: []string{"link"}},
		"assumed, link to nothing": {do: func(s *scratch) { assume(s, "link"); os.Remove(s.at("a.txt")); os.Symlink("b", s.at("a.txt")) }, plain: true},
		"both, edited":             {do: func(s *scratch) { assume(s, "a.txt"); skip(s, "b.txt"); s.put("a.txt", "x"); s.put("b.txt", "x") }, hidden: []string{"a.txt", "b.txt"}},
		"skipped":                  {do: func(s *scratch) { skip(s, "a.txt") }},
		"skipped, absent":          {do: func(s *scratch) { skip(s, "a.txt", "lib/c.txt"); os.Remove(s.at("a.txt")); os.RemoveAll(s.at("lib")) }},
		"skipped, edited":          {do: func(s *scratch) { skip(s, "a.txt"); s.put("a.txt", "x") }, hidden: []string{"a.txt"}},
		"skipped, a directory now": {do: func(s *scratch) { skip(s, "a.txt"); os.Remove(s.at("a.txt")); s.put("a.txt/x.log", "x") }, hidden: []string{"a.txt"}},
		"sparse":                   {do: func(s *scratch) { s.git(s.Path, "sparse-checkout", "set", "nothing") }},
		"sparse index":             {do: func(s *scratch) { s.git(s.Path, "sparse-checkout", "set", "--cone", "--sparse-index", "nothing") }},
		"sparse, present": {do: func(s *scratch) {
			s.git(s.Path, "sparse-checkout", "set", "nothing")
			s.put("lib/c.txt", "edited")
		}, plain: true},
		"sparse, present, expected": {do: func(s *scratch) {
			s.git(s.Path, "config", "sparse.expectFilesOutsideOfPatterns", "true")
			s.git(s.Path, "sparse-checkout", "set", "nothing")
			s.put("lib/c.txt", "edited")
		}, hidden: []string{"lib/c.txt"}},
		"converted": {do: func(s *scratch) {
			s.git(s.Path, "config", "core.autocrlf", "true")
			assume(s, "a.txt")
			s.put("a.txt", "one\r\n")
		}},
		"odd name": {do: func(s *scratch) {
			s.commit("\"q\" \\n\n", "x\n")
			assume(s, "\"q\" \\n\n")
			s.put("\"q\" \\n\n", "y")
		}, hidden: []string{"\"q\" \\n\n"}},
		"odd name, converted": {do: func(s *scratch) {
			s.git(s.Path, "config", "core.autocrlf", "true")
			s.commit("\"q\" \\n\n", "x\n")
			assume(s, "\"q\" \\n\n")
			s.put("\"q\" \\n\n", "x\r\n")
		}},
		"ignoreStat": {do: func(s *scratch) {
			s.git(s.Path, "config", "core.ignoreStat", "true")
			s.git(s.Path, "reset", "-q", "--hard")
			s.put("a.txt", "x")
		}, plain: true},
		"split index": {do: func(s *scratch) {
			assume(s, "a.txt")
			s.git(s.Path, "update-index", "--split-index")
			s.put("a.txt", "x")
		}, hidden: []string{"a.txt"}},
		"index 4": {do: func(s *scratch) {
			s.git(s.Path, "update-index", "--index-version", "4")
			skip(s, "b.txt")
			s.put("b.txt", "x")
		}, hidden: []string{"b.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			c.do(s)
			status := s.git(s.Path, "status", "--porcelain")
			if c.hidden != nil && status != "" {
				t.Fatalf("not hidden at all: %s", status)
			}
			a := s.ask()
			if c.hidden == nil && !c.plain {
				s.want(a)
				return
			}
			r := s.want(a, refuse.Dirty)
			if !slices.Equal(a.Hidden, c.hidden) && !c.plain {
				t.Errorf("hidden %q, want %q", a.Hidden, c.hidden)
			}
			if c.hidden != nil && (!strings.Contains(r.Message, "told to overlook") || fact(r, "hidden") == nil) {
				t.Errorf("%q %v", r.Message, r.Meta)
			}
		})
	}
}

// The act makes git show what was hidden.
func TestHiddenAct(t *testing.T) {
	s := newScratch(t)
	s.git(s.Path, "update-index", "--assume-unchanged", "a.txt")
	s.git(s.Path, "update-index", "--skip-worktree", "b.txt")
	s.put("a.txt", "x")
	s.put("b.txt", "x")
	r := s.want(s.ask(), refuse.Dirty)
	command := strings.TrimPrefix(strings.Split(r.Resolve, " so that ")[0], "run ")
	s.shell(command)
	if got := s.git(s.Path, "status", "--porcelain"); got != "M a.txt\n M b.txt" {
		t.Errorf("after %s: %q", command, got)
	}
}
