package task

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// The events there are an answer for.
const (
	createEvent = "WorktreeCreate"
	removeEvent = "WorktreeRemove"
)

const (
	// maxEvent is how long an event may be, in bytes. Real ones have some hundreds.
	maxEvent = 1 << 20
	// lastBytes is how long the end of standard input is waited for once the event is
	// there: a client that meets a closed pipe calls the hook failed, and one that never
	// closes its end is not worth more.
	lastBytes = 50 * time.Millisecond
)

// An event is what Claude Code says, as far as it is listened to.
type event struct {
	kind string
	cwd  string // the session's directory, "" when the event does not tell
	name string // of a createEvent
	path string // of a removeEvent
}

// readEvent reads one JSON object and does not wait for the writer to close. What comes
// after it is read and dropped. When ctx ends, the reading is left to itself.
func readEvent(ctx context.Context, in io.Reader) (event, error) {
	type answer struct {
		members members
		err     error
	}
	read, drained := make(chan answer, 1), make(chan struct{})
	go func() {
		m, err := decode(in)
		read <- answer{m, err}
		io.Copy(io.Discard, in)
		close(drained)
	}()
	var a answer
	select {
	case <-ctx.Done():
		return event{}, context.Cause(ctx)
	case a = <-read:
	}
	select {
	case <-drained:
	case <-ctx.Done():
	case <-time.After(lastBytes):
	}
	if a.err != nil {
		return event{}, a.err
	}
	return a.members.event()
}

// heard are the members that are read; any other may be what it likes.
var heard = []string{"hook_event_name", "cwd", "name", "worktree_path"}

// members are a JSON object's, by their exact names.
type members map[string]json.RawMessage

// decode reads one object of at most maxEvent bytes.
func decode(in io.Reader) (members, error) {
	limited := &io.LimitedReader{R: in, N: maxEvent}
	m, err := decodeMembers(json.NewDecoder(limited))
	var refusal *refuse.Refusal
	switch {
	case err == nil || errors.As(err, &refusal):
		return m, err
	case limited.N <= 0:
		return nil, badEvent("", "it is longer than 1 MiB")
	case errors.Is(err, io.EOF):
		return nil, badEvent("", "it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, badEvent("", "it ends within the JSON text")
	}
	return nil, badEvent("", err.Error())
}

// decodeMembers takes an object apart member by member, so that it ends with the
// object's last byte, and one of ours that stands there twice is seen.
func decodeMembers(d *json.Decoder) (members, error) {
	start, err := d.Token()
	if err != nil {
		return nil, err
	}
	if start != json.Delim('{') {
		return nil, badEvent("", "it is no JSON object")
	}
	m := members{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if m[name] != nil && slices.Contains(heard, name) {
			return nil, badEvent(name, "it has the member "+name+" twice")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, inside(err)
		}
		m[name] = value
	}
	_, err = d.Token()
	return m, inside(err)
}

// inside is err where the object has begun: its end is then never a plain one.
func inside(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// event is the event that the members make, judged whole.
func (m members) event() (e event, err error) {
	if e.kind, err = m.text("hook_event_name"); err != nil {
		return e, err
	}
	switch e.kind {
	case createEvent:
		e.name, err = m.text("name")
	case removeEvent:
		e.path, err = m.text("worktree_path")
	default:
		return e, otherEvent(e.kind)
	}
	if err == nil && m["cwd"] != nil && string(m["cwd"]) != "null" {
		e.cwd, err = m.text("cwd")
	}
	return e, err
}

// text is a member that has to be a string.
func (m members) text(name string) (s string, err error) {
	value, ok := m[name]
	switch {
	case !ok:
		return "", badEvent(name, "it has no member "+name)
	case len(value) == 0 || value[0] != '"':
		return "", badEvent(name, "its member "+name+" is no string")
	}
	if err := json.Unmarshal(value, &s); err != nil {
		return "", badEvent(name, err.Error())
	}
	return s, nil
}

func badEvent(field, why string) error {
	meta := refuse.Meta{{Key: "reason", Value: why}}
	if field != "" {
		meta = append(refuse.Meta{{Key: "field", Value: field}}, meta...)
	}
	return &refuse.Refusal{
		Code:    refuse.HookInput,
		Message: "standard input holds no worktree event: " + why,
		Meta:    meta,
		Resolve: "send the event as Claude Code does; by hand, agent-worktree create <name> and agent-worktree remove <name> do the same",
	}
}

func otherEvent(kind string) error {
	return &refuse.Refusal{
		Code:    refuse.HookEvent,
		Message: "the event " + kind + " is neither WorktreeCreate nor WorktreeRemove",
		Meta:    refuse.Meta{{Key: "event", Value: kind}},
		Resolve: "register agent-worktree hook for WorktreeCreate and WorktreeRemove alone",
	}
}
