package cli

import (
	"encoding/json"
	"testing"

	"github.com/cniska/agent-worktree/lib/toon"
)

func TestRows(t *testing.T) {
	rows := [][]any{
		{"a", nil, true, 7},
		{"x\ty\nz", `b\c`, "\x1b", "caf\xe9 é"},
		{},
	}
	line := "a\t\ttrue\t7\n" + `x\ty\nz` + "\t" + `b\\c` + "\t" + `\x1b` + "\t" + `caf\xe9 é` + "\n\n"
	if got := string(Form{plain: true}.rows(rows)); got != line {
		t.Errorf("--plain = %q; want %q", got, line)
	}
	raw := "a\t\ttrue\t7\x00x\ty\nz\tb\\c\t\x1b\tcaf\xe9 é\x00\x00"
	if got := string(Form{plain: true, nul: true}.rows(rows)); got != raw {
		t.Errorf("-z = %q; want %q", got, raw)
	}
}

func TestJSON(t *testing.T) {
	doc := toon.Object{
		{Key: "b", Value: true},
		{Key: "n", Value: nil},
		{Key: "i", Value: -3},
		{Key: "s", Value: "a\"b\\c\n<é>\x1b"},
		{Key: "l", Value: []string(nil)},
		{Key: "m", Value: []string{"x", "y"}},
		{Key: "o", Value: toon.Object{}},
		{Key: "t", Value: toon.Table{Columns: []string{"z", "a"}, Rows: [][]any{{1, nil}, {"#", false}}}},
		{Key: "e", Value: toon.Table{Columns: []string{"z"}}},
	}
	want := `{"b":true,"n":null,"i":-3,"s":"a\"b\\c\n<é>\\x1b","l":[],"m":["x","y"],"o":{},` +
		`"t":[{"z":1,"a":null},{"z":"#","a":false}],"e":[]}` + "\n"
	got, err := Form{json: true}.encode(doc)
	if err != nil || string(got) != want {
		t.Errorf("encode = %s, %v; want %s", got, err, want)
	}
	if !json.Valid(got) {
		t.Errorf("encode = %s; want valid JSON", got)
	}
	if got, err := (Form{json: true}).encode(toon.Object{{Key: "x", Value: 1.5}}); err == nil {
		t.Errorf("encode of a float = %s; want an error", got)
	}
}
