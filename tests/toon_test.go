package tests

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	documentStart = regexp.MustCompile(`(?m)^command: `)
	toonLine      = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|[^:"\[{]+)(?:\[(\d+)\])?(?:\{(.*)\})?:(?: (.*))?$`)
)

// parse reads the last envelope in text into its fields by dotted key, such as
// result.path. A table's cell is <key>.<first cell of its row>.<column>, and
// its number of rows is <key>.rows. It knows only as much TOON as the tools print,
// and is written apart from their encoder so that both cannot be wrong alike.
// Nil means that there is no envelope.
func parse(text string) map[string]string {
	starts := documentStart.FindAllStringIndex(text, -1)
	if starts == nil {
		return nil
	}
	fields := map[string]string{}
	var path, columns []string // columns is non-nil inside a table
	for _, line := range strings.Split(text[starts[len(starts)-1][0]:], "\n") {
		content := strings.TrimLeft(line, " ")
		depth := (len(line) - len(content)) / 2
		if columns != nil && depth == len(path) {
			cells := splitCells(content)
			for i := 0; i < len(columns) && i < len(cells); i++ {
				fields[strings.Join(append(path, cells[0], columns[i]), ".")] = cells[i]
			}
			continue
		}
		columns = nil
		m := toonLine.FindStringSubmatch(content)
		if m == nil || depth > len(path) {
			continue
		}
		path = append(path[:depth:depth], unquote(m[1]))
		key := strings.Join(path, ".")
		fields[key] = unquote(m[4])
		if m[2] != "" {
			fields[key+".rows"] = m[2]
		}
		if m[3] != "" {
			columns = splitCells(m[3])
		}
	}
	return fields
}

// splitCells parts a row at its commas outside quotes.
func splitCells(row string) []string {
	var cells []string
	start, quoted := 0, false
	for i := 0; i < len(row); i++ {
		switch {
		case row[i] == '\\' && quoted:
			i++
		case row[i] == '"':
			quoted = !quoted
		case row[i] == ',' && !quoted:
			cells = append(cells, unquote(row[start:i]))
			start = i + 1
		}
	}
	return append(cells, unquote(row[start:]))
}

func unquote(s string) string {
	if plain, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return plain
	}
	return s
}

func TestParse(t *testing.T) {
	got := parse(`agent-worktree: command: no
hook said this
command: ls
ok: true
result:
  counts:
    ready: 1
  note: "a: \"b\""
  paths[2]: "/x,y",/z
  worktrees[2]{name,ports,path}:
    task-a,"24000-24009,24020-24029",/data/task-a
    "1",null,"/with \\ slash"
  after: null
`)
	want := map[string]string{
		"command":                       "ls",
		"ok":                            "true",
		"result":                        "",
		"result.counts":                 "",
		"result.counts.ready":           "1",
		"result.note":                   `a: "b"`,
		"result.paths":                  `"/x,y",/z`,
		"result.paths.rows":             "2",
		"result.worktrees":              "",
		"result.worktrees.rows":         "2",
		"result.worktrees.task-a.name":  "task-a",
		"result.worktrees.task-a.ports": "24000-24009,24020-24029",
		"result.worktrees.task-a.path":  "/data/task-a",
		"result.worktrees.1.name":       "1",
		"result.worktrees.1.ports":      "null",
		"result.worktrees.1.path":       `/with \ slash`,
		"result.after":                  "null",
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s is %q; want %q", key, got[key], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d fields; want %d: %v", len(got), len(want), got)
	}
	if got := parse("agent-worktree: a note\n"); got != nil {
		t.Errorf("no envelope parses as %v; want nil", got)
	}
}
