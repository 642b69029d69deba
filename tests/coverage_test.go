package tests

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// awaited lists the criteria whose tests later work brings. An id leaves this
// list with the push that brings its file, and never comes back.
var awaited = strings.Fields(``)

var (
	scriptName = regexp.MustCompile(`^(ac|s)\d\d_[a-z]+\.txtar$`)
	firstLine  = regexp.MustCompile(`^# ((?:AC|S)-\d+(?:, (?:AC|S)-\d+)*)(?: \((?:[A-Z]+-\d+(?:, )?)+\))?: .+`)
)

// criteria returns every acceptance criterion's id.
func criteria() []string {
	var ids []string
	for i := 1; i <= 65; i++ {
		ids = append(ids, fmt.Sprintf("AC-%d", i))
	}
	for i := 1; i <= 21; i++ {
		ids = append(ids, fmt.Sprintf("S-%d", i))
	}
	return ids
}

// TestEveryCriterion holds the scripts to the criteria: each has a script, or
// is awaited, and is not both.
func TestEveryCriterion(t *testing.T) {
	files := map[string][]string{}
	for _, path := range scripts(t) {
		line := head(t, path)
		m := firstLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%s begins %q; want # AC-n (FR-n): what it shows", path, line)
			continue
		}
		for _, id := range strings.Split(m[1], ", ") {
			files[id] = append(files[id], path)
		}
	}
	for _, id := range criteria() {
		switch late := slices.Contains(awaited, id); {
		case late && files[id] != nil:
			t.Errorf("%s is awaited, and in %v; take it off the list", id, files[id])
		case !late && files[id] == nil:
			t.Errorf("%s has no script", id)
		}
		delete(files, id)
	}
	for id, paths := range files {
		t.Errorf("%v name %s, which is no criterion", paths, id)
	}
	t.Logf("criteria without a script yet: %s", strings.Join(awaited, " "))
}

// scripts lists the scripts of criteria, and fails on one that is misnamed.
func scripts(t *testing.T) []string {
	var paths []string
	for _, pattern := range []string{"testdata/*.txtar", "testdata/ports/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			switch name := filepath.Base(path); {
			case scriptName.MatchString(name):
				paths = append(paths, path)
			case !strings.HasPrefix(name, "case_"):
				t.Errorf("%s: want acNN_word, sNN_word or case_word.txtar", path)
			}
		}
	}
	return paths
}

// head returns a file's first line.
func head(t *testing.T, path string) string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Scan()
	return s.Text()
}
