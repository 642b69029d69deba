package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// refusalOf runs Hook on an event in a directory that is no checkout, and returns the
// refusal. Whatever gets past the reading would be not_a_checkout or foreign_path.
func refusalOf(t *testing.T, event string) *refuse.Refusal {
	t.Helper()
	dir := t.TempDir()
	w := World{
		Dir: dir, Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
		Stdin: strings.NewReader(event), Stderr: io.Discard,
	}
	line, err := Hook(context.Background(), w)
	var r *refuse.Refusal
	if !errors.As(err, &r) || line != "" {
		t.Fatalf("%.80q = %q, %v; want a refusal", event, line, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%.80q left %v behind", event, left)
	}
	return r
}

func TestHookRefuses(t *testing.T) {
	create := func(name string) string {
		b, _ := json.Marshal(map[string]string{"hook_event_name": createEvent, "name": name})
		return string(b)
	}
	remove := func(path string) string {
		b, _ := json.Marshal(map[string]string{"hook_event_name": removeEvent, "worktree_path": path})
		return string(b)
	}
	long := `"more":"` + strings.Repeat("x", maxEvent) + `"`
	tests := []struct {
		event string
		code  refuse.Code
		says  string // part of the message
	}{
		{"", refuse.HookInput, "empty"},
		{" \n", refuse.HookInput, "empty"},
		{"WorktreeCreate", refuse.HookInput, "invalid character"},
		{`[]`, refuse.HookInput, "no JSON object"},
		{`"x"`, refuse.HookInput, "no JSON object"},
		{`null`, refuse.HookInput, "no JSON object"},
		{`7 `, refuse.HookInput, "no JSON object"},
		{`{`, refuse.HookInput, "ends within"},
		{`{"hook_event_name":"WorktreeCreate","name":"t"`, refuse.HookInput, "ends within"},
		{`{"hook_event_name":"WorktreeCreate","name":`, refuse.HookInput, "ends within"},
		{`{"hook_event_name":"WorktreeCreate","name":"t",}`, refuse.HookInput, "invalid character"},
		{`{'hook_event_name':'WorktreeCreate'}`, refuse.HookInput, "invalid character"},
		{"\xef\xbb\xbf" + create("t"), refuse.HookInput, "invalid character"},
		{`{` + long + `,` + create("t")[1:], refuse.HookInput, "longer than 1 MiB"},
		{`{"name":"t"}`, refuse.HookInput, "no member hook_event_name"},
		{`{"Hook_Event_Name":"WorktreeCreate","name":"t"}`, refuse.HookInput, "no member hook_event_name"},
		{`{"hook_event_name":7,"name":"t"}`, refuse.HookInput, "hook_event_name is no string"},
		{`{"hook_event_name":"WorktreeCreate","hook_event_name":"WorktreeRemove","name":"t"}`, refuse.HookInput, "hook_event_name twice"},
		{`{"hook_event_name":"SessionStart","source":"startup","name":"t"}`, refuse.HookEvent, "SessionStart"},
		{`{"hook_event_name":"worktreecreate","name":"t"}`, refuse.HookEvent, "worktreecreate"},
		{`{"hook_event_name":"","name":"t"}`, refuse.HookEvent, "neither"},
		{`{"hook_event_name":"WorktreeCreate","cwd":"/x"}`, refuse.HookInput, "no member name"},
		{`{"hook_event_name":"WorktreeCreate","worktree_name":"t","worktree_path":"/t","branch_name":"t"}`, refuse.HookInput, "no member name"},
		{`{"hook_event_name":"WorktreeCreate","Name":"t"}`, refuse.HookInput, "no member name"},
		{`{"hook_event_name":"WorktreeCreate","name":5}`, refuse.HookInput, "name is no string"},
		{`{"hook_event_name":"WorktreeCreate","name":null}`, refuse.HookInput, "name is no string"},
		{`{"hook_event_name":"WorktreeCreate","name":["t"]}`, refuse.HookInput, "name is no string"},
		{`{"hook_event_name":"WorktreeCreate","name":"t","name":"u"}`, refuse.HookInput, "name twice"},
		{`{"hook_event_name":"WorktreeCreate","name":"t","cwd":7}`, refuse.HookInput, "cwd is no string"},
		{`{"hook_event_name":"WorktreeRemove","name":"t"}`, refuse.HookInput, "no member worktree_path"},
		{`{"hook_event_name":"WorktreeRemove","worktree_path":{}}`, refuse.HookInput, "worktree_path is no string"},
		{create(""), refuse.InvalidName, "empty"},
		{create("feat/login"), refuse.InvalidName, "ASCII letters"},
		{create("../x"), refuse.InvalidName, ""},
		{create("-x"), refuse.InvalidName, ""},
		{create("a..b"), refuse.InvalidName, ""},
		{create("x.lock"), refuse.InvalidName, ""},
		{create(".x"), refuse.InvalidName, ""},
		{create("a\x00b"), refuse.InvalidName, ""},
		{`{"hook_event_name":"WorktreeCreate","name":"\ud800"}`, refuse.InvalidName, ""},
		{remove(""), refuse.ForeignPath, "the empty path"},
		{remove("t"), refuse.ForeignPath, "not absolute"},
		{remove("./t"), refuse.ForeignPath, "not absolute"},
		{remove("~/t"), refuse.ForeignPath, "not absolute"},
		{remove("/a/../t"), refuse.ForeignPath, ".. in it"},
		{remove("/t\x00"), refuse.NotACheckout, ""},
		{create("t"), refuse.NotACheckout, ""},
		{remove("/"), refuse.NotACheckout, ""},
	}
	for _, test := range tests {
		r := refusalOf(t, test.event)
		if r.Code != test.code || !strings.Contains(r.Message, test.says) {
			t.Errorf("%.80q = %s, %q; want %s, and %q in it", test.event, r.Code, r.Message, test.code, test.says)
		}
		if r.Resolve == "" || strings.ContainsAny(r.Message, "\n") {
			t.Errorf("%.80q: message %q, resolve %q; want one line and an act", test.event, r.Message, r.Resolve)
		}
	}
}

func TestEventIgnoresOtherFields(t *testing.T) {
	text := `{"session_id":"x","effort":{"level":"high","more":[1,{"name":"u"}]},"permission_mode":null,
		"cwd":"/home/ada/shop","hook_event_name":"WorktreeCreate","name":"fix-login","worktree_name":"v","worktree_path":7}`
	got, err := readEvent(context.Background(), strings.NewReader(text))
	if want := (event{kind: createEvent, cwd: "/home/ada/shop", name: "fix-login"}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// TestEventDoesNotWaitForTheWriter: the object's last byte is enough, and a writer that
// goes on is read to its end rather than cut off.
func TestEventDoesNotWaitForTheWriter(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	go io.WriteString(out, `{"hook_event_name":"WorktreeRemove","worktree_path":"/t"}`)
	got, err := readEvent(context.Background(), in)
	if want := (event{kind: removeEvent, path: "/t"}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	written := make(chan error)
	go func() {
		_, err := io.WriteString(out, strings.Repeat("\n", 1<<20))
		written <- err
	}()
	if err := <-written; err != nil {
		t.Errorf("the rest was not taken: %v", err)
	}
}

func TestEventEndsWithItsContext(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, io.ErrClosedPipe)
	defer cancel()
	if _, err := readEvent(ctx, in); err != io.ErrClosedPipe {
		t.Errorf("got %v; want the context's cause", err)
	}
}

// FuzzEvent holds the reader to encoding/json's idea of an object: what it takes apart
// is one, with the same members, and what is one it takes unless a name stands there
// twice. An event that comes out of it is whole.
func FuzzEvent(f *testing.F) {
	for _, seed := range []string{
		`{"hook_event_name":"WorktreeCreate","name":"t","cwd":"/x"}`,
		`{"hook_event_name":"WorktreeRemove","worktree_path":"/t","effort":{"level":"high"}}` + "\n",
		`{"hook_event_name":"WorktreeCreate","name":null}{}`, `{"a":1,"a":2}`, `{"name":"t","name":"u"}`, `{,}`, `{"a":1,}`, `[]`, `null`, "\xef\xbb\xbf{}", `{"\ud800":"\xff"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := decode(bytes.NewReader(text))
		var whole map[string]json.RawMessage
		plain := json.NewDecoder(bytes.NewReader(text)).Decode(&whole)
		var r *refuse.Refusal
		switch {
		case err != nil && !errors.As(err, &r):
			t.Fatalf("%q: %v; want a refusal", text, err)
		case err == nil && (plain != nil || !reflect.DeepEqual(map[string]json.RawMessage(got), whole)):
			t.Fatalf("%q = %v; encoding/json has %v, %v", text, got, whole, plain)
		case err != nil && plain == nil && whole != nil && !strings.HasSuffix(r.Message, "twice"):
			t.Fatalf("%q: %v; encoding/json takes it", text, err)
		case err != nil:
			return
		}
		e, err := got.event()
		if (err == nil) != (e.kind == createEvent || e.kind == removeEvent) && !errors.As(err, &r) {
			t.Fatalf("%q = %+v, %v", text, e, err)
		}
	})
}
