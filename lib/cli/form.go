package cli

import (
	"strconv"
	"strings"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/toon"
)

// Form is the form that output takes; the zero Form is TOON.
type Form struct {
	json  bool
	plain bool
	nul   bool // -z: rows end in NUL, cells are raw
}

// FormOf is the form that args ask for before a --, whatever else stands there,
// so that the error of a command line nobody can parse takes it too.
func FormOf(args []string) Form {
	f := Form{}
	for _, arg := range args {
		switch arg {
		case "--":
			return f
		case "--json":
			f.json = true
		case "--plain":
			f.plain = true
		case "-z":
			f.plain, f.nul = true, true
		}
	}
	return f
}

func isForm(arg string) bool { return arg == "--json" || arg == "--plain" || arg == "-z" }

// encode is the document in this form, TOON or JSON, ending in one newline.
func (f Form) encode(doc toon.Object) ([]byte, error) {
	if !f.json {
		return toon.Encode(doc)
	}
	if err := toon.Check(doc); err != nil {
		return nil, err
	}
	return append(appendJSON(nil, doc), '\n'), nil
}

// appendJSON writes a value that toon.Check let pass. A quoted TOON string is a
// JSON string as well, since the cleaning leaves three escapes and no more.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case string:
		return append(b, toon.Quote(v)...)
	case []string:
		return appendList(b, '[', ']', len(v), func(b []byte, i int) []byte {
			return appendJSON(b, v[i])
		})
	case toon.Table:
		return appendList(b, '[', ']', len(v.Rows), func(b []byte, i int) []byte {
			return appendList(b, '{', '}', len(v.Columns), func(b []byte, j int) []byte {
				return appendMember(b, v.Columns[j], v.Rows[i][j])
			})
		})
	case toon.Object:
		return appendList(b, '{', '}', len(v), func(b []byte, i int) []byte {
			return appendMember(b, v[i].Key, v[i].Value)
		})
	}
	return append(b, "null"...)
}

func appendMember(b []byte, key string, value any) []byte {
	b = append(append(b, toon.Quote(key)...), ':')
	return appendJSON(b, value)
}

func appendList(b []byte, open, end byte, n int, item func([]byte, int) []byte) []byte {
	b = append(b, open)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, i)
	}
	return append(b, end)
}

// rows is what --plain and -z print: a row's cells parted by one tab.
func (f Form) rows(rows [][]any) []byte {
	b := []byte{}
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b = append(b, '\t')
			}
			b = append(b, f.cell(cell)...)
		}
		if f.nul {
			b = append(b, 0)
		} else {
			b = append(b, '\n')
		}
	}
	return b
}

// cell is one scalar. Unless it is raw, what would break a row or act on a
// terminal is escaped as in C, the backslash with it, so that the row can be
// taken apart again.
func (f Form) cell(value any) string {
	switch v := value.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case string:
		if f.nul {
			return v
		}
		return refuse.Visible(strings.ReplaceAll(v, `\`, `\\`))
	}
	return ""
}
