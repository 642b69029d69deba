package cli

import (
	"errors"

	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/toon"
)

// tellOwner is the act of every fault: no command of the caller's resolves one.
const tellOwner = "hand this error to the owner"

// failure is an error as the envelope shows it, and its exit status.
type failure struct {
	kind    string
	code    refuse.Code
	message string
	meta    refuse.Meta
	resolve string
	status  int
}

// faulter is an error that can say which fault it is. Wrapped in more words, the
// words stay part of the message.
type faulter interface{ Fault() *refuse.Fault }

// describe sorts an error: a refusal anywhere in its chain is that refusal, an
// error that can say which fault it is is that fault, the rest is internal.
func describe(err error) failure {
	if r := (*refuse.Refusal)(nil); errors.As(err, &r) {
		f := failure{"refusal", r.Code, r.Message, r.Meta, r.Resolve, 1}
		if r.Code == refuse.Usage {
			f.status = 2
		}
		return f
	}
	f := failure{"fault", refuse.Internal, err.Error(), nil, tellOwner, 1}
	var faulty faulter
	if errors.As(err, &faulty) {
		fault := faulty.Fault()
		f.code, f.meta = fault.Code, fault.Meta
		if _, whole := err.(faulter); whole {
			f.message = fault.Message
		}
	}
	return f
}

func (f failure) document(command string) toon.Object {
	meta := toon.Object{}
	for _, fact := range f.meta {
		meta = append(meta, toon.Field(fact))
	}
	return toon.Object{
		{Key: "command", Value: command},
		{Key: "ok", Value: false},
		{Key: "error", Value: toon.Object{
			{Key: "kind", Value: f.kind},
			{Key: "code", Value: string(f.code)},
			{Key: "message", Value: f.message},
			{Key: "meta", Value: meta},
			{Key: "resolve", Value: f.resolve},
		}},
	}
}

// fixed is the document for when the meta cannot be encoded, so that the error
// itself is never lost. Its shape is fixed and its strings are all it encodes.
func (f failure) fixed(p printer) []byte {
	f.meta = nil
	doc := f.document(p.command)
	if p.form.json {
		return append(appendJSON(nil, doc), '\n')
	}
	return []byte("command: " + toon.Quote(p.command) + "\nok: false\nerror:" +
		"\n  kind: " + f.kind +
		"\n  code: " + toon.Quote(string(f.code)) +
		"\n  message: " + toon.Quote(f.message) +
		"\n  meta:" +
		"\n  resolve: " + toon.Quote(f.resolve) + "\n")
}
