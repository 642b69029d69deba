// Package toon writes TOON documents of a closed set of shapes.
//
// It stands before toon-go because that encoder, given any value, can lose the
// document, drop a row, panic, or write what a strict decoder refuses. Objects
// of scalars, lists of strings and tables of scalars, checked here, are the
// shapes that come out right. Nothing else in the project imports toon-go.
package toon

import (
	"fmt"
	"strings"

	toongo "github.com/toon-format/toon-go"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// Table is rows of scalars under named columns; each row is as wide as Columns.
type Table = refuse.Table

// Field is one entry of an Object. Key is an identifier. Value is nil, a bool,
// an int, a string, a []string, a Table or an Object.
type Field struct {
	Key   string
	Value any
}

// Object is an ordered set of fields, no key twice.
type Object []Field

// Encode is the document of o, ending in one newline. Every string in it has
// been through Clean. A value outside Field's shapes, a bad or repeated key, or
// a row of the wrong width is an error; there is no document then.
func Encode(o Object) ([]byte, error) {
	object, err := convertObject(o)
	if err != nil {
		return nil, err
	}
	doc, err := toongo.Marshal(object)
	if err != nil {
		return nil, err
	}
	return append(quoteComments(doc), '\n'), nil
}

// Check is the error that Encode would give for o's shape, or nil. It is for
// callers that write the same object in another form.
func Check(o Object) error {
	_, err := convertObject(o)
	return err
}

// Clean makes s fit for a document: what could act on a terminal, and bytes that
// are no UTF-8, become visible as refuse.Visible shows them. Newline, carriage
// return and tab stay, since TOON and JSON escape them.
func Clean(s string) string {
	b := strings.Builder{}
	for {
		i := strings.IndexAny(s, "\n\r\t")
		if i < 0 {
			break
		}
		b.WriteString(refuse.Visible(s[:i]))
		b.WriteByte(s[i])
		s = s[i+1:]
	}
	if b.Len() == 0 {
		return refuse.Visible(s)
	}
	b.WriteString(refuse.Visible(s))
	return b.String()
}

// Quote is s cleaned and written as a TOON string in quotes, which every decoder
// takes in every place.
func Quote(s string) string {
	return `"` + escapes.Replace(Clean(s)) + `"`
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

func convertObject(o Object) (toongo.Object, error) {
	fields := make([]toongo.Field, 0, len(o))
	for i, field := range o {
		if err := checkKey(field.Key); err != nil {
			return toongo.Object{}, err
		}
		for _, earlier := range o[:i] {
			if earlier.Key == field.Key {
				return toongo.Object{}, fmt.Errorf("toon: key %s occurs twice", field.Key)
			}
		}
		value, err := convert(field.Value)
		if err != nil {
			return toongo.Object{}, fmt.Errorf("toon: %s: %w", field.Key, err)
		}
		fields = append(fields, toongo.Field{Key: field.Key, Value: value})
	}
	return toongo.Object{Fields: fields}, nil
}

func convert(value any) (any, error) {
	switch v := value.(type) {
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = Clean(s)
		}
		return list, nil
	case Table:
		return convertTable(v)
	case Object:
		return convertObject(v)
	}
	return convertScalar(value)
}

// convertScalar takes exact types only: toon-go refuses named ones, prints an
// error value as an empty object and panics on some nil pointers.
func convertScalar(value any) (any, error) {
	switch v := value.(type) {
	case nil, bool, int:
		return v, nil
	case string:
		return Clean(v), nil
	}
	return nil, fmt.Errorf("a %T is none of a document's values", value)
}

func convertTable(t Table) (any, error) {
	if err := checkColumns(t.Columns); err != nil {
		return nil, err
	}
	rows := make([]any, len(t.Rows))
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return nil, fmt.Errorf("row %d has %d cells for %d columns", i, len(row), len(t.Columns))
		}
		fields := make([]toongo.Field, len(row))
		for j, cell := range row {
			value, err := convertScalar(cell)
			if err != nil {
				return nil, fmt.Errorf("row %d, %s: %w", i, t.Columns[j], err)
			}
			fields[j] = toongo.Field{Key: t.Columns[j], Value: value}
		}
		rows[i] = toongo.Object{Fields: fields}
	}
	return rows, nil
}

func checkColumns(columns []string) error {
	if len(columns) == 0 {
		return fmt.Errorf("a table needs a column")
	}
	for i, column := range columns {
		if err := checkKey(column); err != nil {
			return err
		}
		for _, earlier := range columns[:i] {
			if earlier == column {
				return fmt.Errorf("column %s occurs twice", column)
			}
		}
	}
	return nil
}

// checkKey takes letters, digits and underscores: an empty key loses its list,
// and toon-go swallows its own error about a column it cannot write.
func checkKey(key string) error {
	for i := 0; i < len(key); i++ {
		c := key[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return fmt.Errorf("key %q is no identifier", key)
		}
	}
	if key == "" {
		return fmt.Errorf("a key is empty")
	}
	return nil
}

// quoteComments puts quotes around a row's first cell where it starts with #,
// which toon-go leaves bare: newer decoders take such a line for a comment and
// lose the row. Among our shapes a line can start with # only there, and a cell
// without quotes holds neither a comma nor anything to escape.
func quoteComments(doc []byte) []byte {
	lines := strings.Split(string(doc), "\n")
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(text, "#") {
			continue
		}
		cell, rest, more := strings.Cut(text, ",")
		quoted := line[:len(line)-len(text)] + `"` + cell + `"`
		if more {
			quoted += "," + rest
		}
		lines[i] = quoted
	}
	return []byte(strings.Join(lines, "\n"))
}
