//go:build unix

package hooks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cniska/agent-worktree/lib/refuse"
)

func newPlace(t *testing.T) Place {
	t.Helper()
	root := t.TempDir()
	p := Place{Checkout: filepath.Join(root, "checkout"), Common: filepath.Join(root, "common")}
	for _, dir := range []string{p.Committed(), p.Local()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func put(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantRefusal checks the code and that the refusal names the hook in its message and meta.
func wantRefusal(
	t *testing.T, what string, err error, code refuse.Code, hook string,
) *refuse.Refusal {
	t.Helper()
	var r *refuse.Refusal
	if !errors.As(err, &r) || r.Code != code {
		t.Errorf("%s = %v; want %s", what, err, code)
		return &refuse.Refusal{}
	}
	if !strings.Contains(r.Message, hook) || r.Meta[0] != (refuse.Fact{Key: "hook", Value: hook}) {
		t.Errorf("%s: message %q, meta %v; want both to name %s", what, r.Message, r.Meta, hook)
	}
	if r.Resolve == "" {
		t.Errorf("%s: no act; want one", what)
	}
	return r
}

func TestFindPrefersTheLocalHook(t *testing.T) {
	p := newPlace(t)
	for _, k := range []Kind{Setup, Teardown, Ports, Keep} {
		if got, err := p.Find(k); got != "" || err != nil {
			t.Errorf("Find(%s) = %q, %v; want none", k, got, err)
		}
		committed := put(t, filepath.Join(p.Committed(), string(k)), "#!/bin/sh\n", 0o755)
		if got, err := p.Find(k); got != committed || err != nil {
			t.Errorf("Find(%s) = %q, %v; want %q", k, got, err, committed)
		}
		local := put(t, filepath.Join(p.Local(), string(k)), "#!/bin/sh\n", 0o755)
		if got, err := p.Find(k); got != local || err != nil {
			t.Errorf("Find(%s) = %q, %v; want %q", k, got, err, local)
		}
	}
}

func TestFindWithoutFolders(t *testing.T) {
	root := t.TempDir()
	p := Place{Checkout: root, Common: filepath.Join(root, "none")}
	put(t, p.Committed(), "a file", 0o644)
	if got, err := p.Find(Setup); got != "" || err != nil {
		t.Errorf("Find(setup) = %q, %v; want none", got, err)
	}
}

func TestFindSkipsNothing(t *testing.T) {
	tests := []struct {
		name   string
		plant  func(path string) error
		code   refuse.Code
		reason string
		act    string
	}{
		{"no x bit", func(p string) error { return os.WriteFile(p, nil, 0o644) },
			refuse.HookNotExecutable, "execute permission", "chmod +x "},
		{"directory", func(p string) error { return os.Mkdir(p, 0o755) },
			refuse.HookNotExecutable, "directory", "mv "},
		{"fifo", func(p string) error { return syscall.Mkfifo(p, 0o755) },
			refuse.HookNotExecutable, "regular file", "mv "},
		{"dangling link", func(p string) error { return os.Symlink("nowhere", p) },
			refuse.HookUnrunnable, "link", "rm "},
		{"link to itself", func(p string) error { return os.Symlink(filepath.Base(p), p) },
			refuse.HookUnrunnable, "symbolic links", ""},
	}
	for _, test := range tests {
		p := newPlace(t)
		// A good committed hook does not stand in for a bad local one.
		put(t, filepath.Join(p.Committed(), "setup"), "#!/bin/sh\n", 0o755)
		path := filepath.Join(p.Local(), "setup")
		if err := test.plant(path); err != nil {
			t.Fatal(err)
		}
		got, err := p.Find(Setup)
		if got != path {
			t.Errorf("%s: Find(setup) = %q; want %q", test.name, got, path)
		}
		r := wantRefusal(t, test.name, err, test.code, path)
		if !strings.Contains(r.Message, test.reason) || !strings.Contains(r.Resolve, test.act) {
			t.Errorf("%s: %q, act %q; want %q and %q", test.name, r.Message, r.Resolve,
				test.reason, test.act)
		}
	}
}

func TestFindFollowsALink(t *testing.T) {
	p := newPlace(t)
	put(t, filepath.Join(p.Checkout, "script"), "#!/bin/sh\n", 0o755)
	path := filepath.Join(p.Committed(), "setup")
	if err := os.Symlink("../script", path); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Find(Setup); got != path || err != nil {
		t.Errorf("Find(setup) = %q, %v; want %q", got, err, path)
	}
}

func TestPortsWanted(t *testing.T) {
	tests := []struct {
		text string
		want int // 0: refused
	}{
		{"1\n", 1}, {"10", 10}, {"1000\n", 1000},
		{"", 0}, {"\n", 0}, {"0\n", 0}, {"1001\n", 0}, {"-1\n", 0}, {"+1\n", 0}, {"010\n", 0},
		{"ten\n", 0}, {"10\n\n", 0}, {"10\r\n", 0}, {" 10\n", 0}, {"10 \n", 0}, {"1e1\n", 0},
		{"1_0\n", 0}, {"10\n20\n", 0}, {"99999999999999999999\n", 0}, {"1\x00", 0},
		{strings.Repeat("1", 5000), 0},
	}
	for _, test := range tests {
		p := newPlace(t)
		path := put(t, filepath.Join(p.Committed(), "ports"), test.text, 0o644)
		n, hook, err := p.PortsWanted()
		if n != test.want || hook != path || (err == nil) != (test.want > 0) {
			t.Errorf("PortsWanted() with %.20q = %d, %q, %v; want %d", test.text, n, hook, err, test.want)
		}
		if err != nil {
			wantRefusal(t, test.text, err, refuse.InvalidPorts, path)
		}
	}
	if n, hook, err := newPlace(t).PortsWanted(); n != 0 || hook != "" || err != nil {
		t.Errorf("PortsWanted() with no hook = %d, %q, %v; want 0", n, hook, err)
	}
}

func TestPortsWantedNamesTheAct(t *testing.T) {
	p := newPlace(t)
	path := put(t, filepath.Join(p.Committed(), "ports"), "t\x1be\nn"+strings.Repeat("é", 40), 0o644)
	_, _, err := p.PortsWanted()
	r := wantRefusal(t, "committed", err, refuse.InvalidPorts, path)
	if !strings.Contains(r.Resolve, "agent-worktree install --ports") {
		t.Errorf("act = %q; want agent-worktree install --ports", r.Resolve)
	}
	if want := `t\x1be\nn` + strings.Repeat("é", 27) + "…"; r.Meta[1].Value != want {
		t.Errorf("meta holds = %q; want %q", r.Meta[1].Value, want)
	}
	path = put(t, filepath.Join(p.Local(), "ports"), "ten", 0o644)
	_, _, err = p.PortsWanted()
	r = wantRefusal(t, "local", err, refuse.InvalidPorts, path)
	if !strings.Contains(r.Resolve, "agent-worktree install --local --ports") {
		t.Errorf("act = %q; want agent-worktree install --local --ports", r.Resolve)
	}
}

func TestPortsWantedUnreadable(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"directory":     func(p string) error { return os.Mkdir(p, 0o755) },
		"fifo":          func(p string) error { return syscall.Mkfifo(p, 0o644) },
		"dangling link": func(p string) error { return os.Symlink("nowhere", p) },
		"endless":       func(p string) error { return os.Symlink("/dev/zero", p) },
	} {
		p := newPlace(t)
		path := filepath.Join(p.Committed(), "ports")
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
		_, _, err := p.PortsWanted()
		wantRefusal(t, name, err, refuse.InvalidPorts, path)
	}
}
