// Package refuse holds the two ways in which a command can fail, as values.
//
// A refusal is an answer: what was refused, why, and the act that resolves it.
// A fault is an accident, which only the owner can look into. Every package may
// build them; only lib/cli prints them.
package refuse

// Fact is one named fact of an error's meta. Value is nil, a bool, an int, a
// string, a []string or a Table.
type Fact struct {
	Key   string
	Value any
}

// Meta is the facts that an error's message names, for programs, in the order
// they are printed. Keys are identifiers and occur once.
type Meta []Fact

// Table is rows of scalars (nil, bool, int or string) under named columns. Each
// row is as wide as Columns.
type Table struct {
	Columns []string
	Rows    [][]any
}

// Refusal is a command's considered no. Message is one lower-case clause with no
// full stop that names the thing refused first; Resolve is the act, a command
// that can be run as printed where there is one.
type Refusal struct {
	Code    Code
	Message string
	Meta    Meta
	Resolve string
}

// Error is the message alone.
func (r *Refusal) Error() string { return r.Message }

// Fault is an accident: git failed where it should not have, a file of ours does
// not parse, or this program is wrong. Its act is always to tell the owner, so
// it carries none.
type Fault struct {
	Code    Code
	Message string
	Meta    Meta
}

// Error is the message alone.
func (f *Fault) Error() string { return f.Message }

// Fault is f itself, so that one errors.As finds a Fault and every error that
// can describe itself as one.
func (f *Fault) Fault() *Fault { return f }
