package toon

import (
	"encoding/json"
	"errors"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	toongo "github.com/toon-format/toon-go"
)

// table is a Table with those rows.
func table(columns []string, rows ...[]any) Table { return Table{Columns: columns, Rows: rows} }

func TestEncode(t *testing.T) {
	tests := []struct {
		name string
		in   Object
		want string
	}{
		{"scalars", Object{{"a", "x y"}, {"b", true}, {"c", 7}, {"d", nil}, {"e", ""}},
			"a: x y\nb: true\nc: 7\nd: null\ne: \"\"\n"},
		{"order is kept", Object{{"z", 1}, {"a", 2}}, "z: 1\na: 2\n"},
		{"look-alikes are quoted", Object{{"a", "true"}, {"b", "007"}, {"c", "-x"}, {"d", "a: b"}},
			"a: \"true\"\nb: \"007\"\nc: \"-x\"\nd: \"a: b\"\n"},
		{"nested", Object{{"r", Object{{"p", "/x"}, {"m", Object{}}}}}, "r:\n  p: /x\n  m:\n"},
		{"list", Object{{"l", []string{"a,b", "c"}}}, "l[2]: \"a,b\",c\n"},
		{"empty list", Object{{"l", []string(nil)}}, "l[0]:\n"},
		{"table", Object{{"t", table([]string{"n", "s"}, []any{"a", nil}, []any{"b,c", ""})}},
			"t[2]{n,s}:\n  a,null\n  \"b,c\",\"\"\n"},
		{"empty table", Object{{"t", table([]string{"n"})}}, "t[0]:\n"},
		{"first cell with #", Object{{"t", table([]string{"n", "s"}, []any{"#x", "#y"}, []any{"#", 1})}},
			"t[2]{n,s}:\n  \"#x\",#y\n  \"#\",1\n"},
		{"only cell with #", Object{{"t", table([]string{"n"}, []any{"#x"}, []any{"#,"})}},
			"t[2]{n}:\n  \"#x\"\n  \"#,\"\n"},
		{"control byte", Object{{"a", "x\x1b[31m\x00"}}, "a: \"x\\\\x1b[31m\\\\x00\"\n"},
		{"ill-formed", Object{{"a", "caf\xe9"}, {"b", "\xff, x"}}, "a: \"caf\\\\xe9\"\nb: \"\\\\xff, x\"\n"},
		{"lines", Object{{"a", "x\ny\tz\r"}}, "a: \"x\\ny\\tz\\r\"\n"},
		{"byte order mark", Object{{"a", "\ufeffx"}}, "a: \"\\\\ufeffx\"\n"},
	}
	for _, test := range tests {
		got, err := Encode(test.in)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: Encode = %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

type word string

func TestEncodeRefuses(t *testing.T) {
	tests := []struct {
		name string
		in   Object
	}{
		{"empty key", Object{{"", []string{"a"}}}},
		{"key with a space", Object{{"a b", 1}}},
		{"key with a digit first", Object{{"1a", 1}}},
		{"key twice", Object{{"a", 1}, {"a", 2}}},
		{"nested key twice", Object{{"o", Object{{"a", 1}, {"a", 2}}}}},
		{"column with a control byte", Object{{"t", table([]string{"a\x01"}, []any{1})}}},
		{"column twice", Object{{"t", table([]string{"a", "a"}, []any{1, 2})}}},
		{"no column", Object{{"t", table(nil, []any{})}}},
		{"narrow row", Object{{"t", table([]string{"a", "b"}, []any{1})}}},
		{"wide row", Object{{"t", table([]string{"a"}, []any{1, 2})}}},
		{"list in a cell", Object{{"t", table([]string{"a"}, []any{[]string{"x"}})}}},
		{"object in a cell", Object{{"t", table([]string{"a"}, []any{Object{}})}}},
		{"error", Object{{"a", errors.New("x")}}},
		{"named string", Object{{"a", word("x")}}},
		{"nil pointer", Object{{"a", (*time.Time)(nil)}}},
		{"float", Object{{"a", 0.1}}},
		{"map", Object{{"a", map[string]any{}}}},
		{"slice of any", Object{{"a", []any{Object{}}}}},
	}
	for _, test := range tests {
		if got, err := Encode(test.in); err == nil {
			t.Errorf("%s: Encode = %q; want an error", test.name, got)
		}
		if Check(test.in) == nil {
			t.Errorf("%s: Check = nil; want an error", test.name)
		}
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain", "plain"},
		{"a\n\x1bb\tc\r", "a\n\\x1bb\tc\r"},
		{"\n", "\n"},
		{"\xff\n", "\\xff\n"},
	}
	for _, test := range tests {
		if got := Clean(test.in); got != test.want {
			t.Errorf("Clean(%q) = %q; want %q", test.in, got, test.want)
		}
	}
}

// TestQuoteIsJSON holds Quote to what the JSON form needs of it.
func TestQuoteIsJSON(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 2000 {
		in, back := randomString(random), ""
		err := json.Unmarshal([]byte(Quote(in)), &back)
		if err != nil || back != Clean(in) {
			t.Fatalf("Quote(%q) = %s, read back as %q, %v; want %q", in, Quote(in), back, err, Clean(in))
		}
	}
}

// TestRandomDocuments decodes what was encoded with toon-go's own decoder.
func TestRandomDocuments(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 5000 {
		doc := randomDocument(random)
		text, err := Encode(doc)
		if err != nil {
			t.Fatalf("Encode(%q) = %v", doc, err)
		}
		got, err := toongo.Decode(text)
		if want := plain(doc); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\nencoded: %s\ndecoded: %q, %v\nwant:    %q", doc, text, got, err, want)
		}
	}
}

// randomDocument has every shape that a document can have.
func randomDocument(r *rand.Rand) Object {
	table := Table{Columns: []string{"name", "state", "n"}}
	for range r.Intn(4) {
		table.Rows = append(table.Rows, []any{randomString(r), randomScalar(r), r.Intn(100)})
	}
	list := []string{}
	for range r.Intn(4) {
		list = append(list, randomString(r))
	}
	inner := Object{{"value", randomScalar(r)}, {"rows", table}, {"list", list}}
	return Object{{"text", randomString(r)}, {"error", inner}, {"one", Table{
		Columns: []string{"only"}, Rows: [][]any{{randomScalar(r)}},
	}}}
}

func randomScalar(r *rand.Rand) any {
	switch r.Intn(5) {
	case 0:
		return nil
	case 1:
		return r.Intn(2) == 0
	case 2:
		return r.Intn(1000) - 500
	}
	return randomString(r)
}

// randomString mixes what matters to TOON with any byte at all.
func randomString(r *rand.Rand) string {
	pieces := []string{"#", ",", ":", "\"", "\\", "-", "[", "]", "{", "}", " ", "\n", "\t", "\r",
		"true", "null", "1e5", "007", "+1", ".5", "é", "日", "\u202e", "\ufeff", "\u00a0", "\u2028", "x", "/a"}
	b := strings.Builder{}
	for range r.Intn(6) {
		if r.Intn(4) == 0 {
			b.WriteByte(byte(r.Intn(256)))
		} else {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
	}
	return b.String()
}

// plain is the document as a decoder gives it.
func plain(value any) any {
	switch v := value.(type) {
	case string:
		return Clean(v)
	case int:
		return float64(v)
	case []string:
		list := []any{}
		for _, s := range v {
			list = append(list, Clean(s))
		}
		return list
	case Table:
		rows := []any{}
		for _, row := range v.Rows {
			object := map[string]any{}
			for i, cell := range row {
				object[v.Columns[i]] = plain(cell)
			}
			rows = append(rows, object)
		}
		return rows
	case Object:
		object := map[string]any{}
		for _, field := range v {
			object[field.Key] = plain(field.Value)
		}
		return object
	}
	return value
}
