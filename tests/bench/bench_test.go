package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMedians(t *testing.T) {
	for _, test := range []struct {
		walls []float64
		want  float64
	}{
		{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 100}, 3},
	} {
		var list []numbers
		for _, wall := range test.walls {
			list = append(list, numbers{wall: wall, memory: wall})
		}
		if got := medians(list).wall; got != test.want {
			t.Errorf("median of %v is %g; want %g", test.walls, got, test.want)
		}
	}
	if got := medians([]numbers{{memory: 7}, {memory: 9}, {memory: 1}}).memory; got != 9 {
		t.Errorf("memory is %g; want the most, 9", got)
	}
}

// TestMet holds each kind of target to both sides of its edge.
func TestMet(t *testing.T) {
	for _, test := range []struct {
		name string
		res  result
		want string
	}{
		{"ratio at its target", result{row: row{target: 2}, floor: numbers{wall: 5}, ours: numbers{wall: 10}}, "yes"},
		{"ratio above", result{row: row{target: 2}, floor: numbers{wall: 5}, ours: numbers{wall: 10.1}}, "NO"},
		{"what is taken off", result{row: row{target: 1}, floor: numbers{wall: 1}, less: numbers{wall: 2}, ours: numbers{wall: 3}}, "yes"},
		{"milliseconds", result{row: row{target: 30, unit: "ms"}, less: numbers{wall: 10}, ours: numbers{wall: 41}}, "NO"},
		{"memory", result{row: row{target: 40, unit: "MB"}, ours: numbers{memory: 40e6, wall: 900}}, "yes"},
		{"none", result{ours: numbers{wall: 9}}, "-"},
	} {
		if got := test.res.met(); got != test.want {
			t.Errorf("%s: met is %s; want %s", test.name, got, test.want)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, test := range []struct{ only, want string }{
		{"ls over 1", "ls over 1"},
		{"--full", "ls --full over 100 / ls"},
		{"start of aw-ls", "start of aw-ls"},
		{"no such row", ""},
	} {
		var names []string
		for _, s := range choose(sections, []string{test.only}) {
			for _, r := range s.rows {
				names = append(names, r.name)
			}
		}
		if got := strings.Join(names, ","); got != test.want {
			t.Errorf("%q chooses %q; want %q", test.only, got, test.want)
		}
	}
}

// TestMarkdown holds the writing of the tables to their part of a file.
func TestMarkdown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "performance.md")
	tables := []table{{section: sections[2], results: []result{
		{row: row{name: "few", size: 10}, floor: numbers{wall: 1}, ours: numbers{wall: 2, git: 3}},
		{row: row{name: "many", size: 110}, floor: numbers{wall: 2}, ours: numbers{wall: 5}},
		{row: row{name: "none", size: 1000}, err: notRun("no disk")},
	}}}
	os.WriteFile(path, []byte("before\n"+begins+"old\n"+ends+"after\n"), 0o644)
	for range 2 { // writing it again changes nothing
		if err := writeMarkdown(path, "machine", tables); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := os.ReadFile(path)
	want := "before\n" + begins + `
machine

### As the work grows

| what | floor ms | ours ms | ratio | cpu ratio | floor µs a worktree | ours µs a worktree | git ours / floor |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| few | 1.00 | 2.00 | 2.00 | - | - | - | 3 / 0 |
| many | 2.00 | 5.00 | 2.50 | - | 10.0 | 30.0 | 0 / 0 |
| none | not run: no disk |  |  |  |  |  |  |

` + ends + "after\n"
	if string(text) != want {
		t.Errorf("the file is\n%s\nwant\n%s", text, want)
	}
}
