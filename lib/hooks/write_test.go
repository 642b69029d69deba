//go:build unix

package hooks

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cniska/agent-worktree/lib/refuse"
)

func write(t *testing.T, folder string, k Kind, body ...string) string {
	t.Helper()
	path, err := Write(folder, k, body...)
	if err != nil || path != filepath.Join(folder, string(k)) {
		t.Fatalf("Write(%s, %s, %q) = %q, %v; want its path", folder, k, body, path, err)
	}
	return path
}

func TestWriteForms(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	folder := filepath.Join(t.TempDir(), ".worktree-hooks")
	tests := []struct {
		kind Kind
		body []string
		want string
		mode os.FileMode
	}{
		{Setup, []string{"echo 'a b'"},
			"#!/bin/sh\ncommand='echo '\\''a b'\\'''\nexec sh -ec \"$command\"\n", 0o755},
		{Teardown, []string{"true"}, "#!/bin/sh\ncommand='true'\nexec sh -ec \"$command\"\n", 0o755},
		{Ports, []string{"20"}, "20\n", 0o644},
		{Keep, []string{"*.db", "/notes/"}, "*.db\n/notes/\n", 0o644},
		{Ports, []string{"30"}, "30\n", 0o644},
	}
	for _, test := range tests {
		path := write(t, folder, test.kind, test.body...)
		data, err := os.ReadFile(path)
		if err != nil || string(data) != test.want {
			t.Errorf("Write(%s, %q): %q, %v; want %q", test.kind, test.body, data, err, test.want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != test.mode {
			t.Errorf("Write(%s): mode %v, %v; want %v", test.kind, info.Mode(), err, test.mode)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 4 {
		t.Errorf("folder = %v, %v; want the four hooks alone", left, err)
	}
}

// TestWrittenCommandsRun: any text reaches the inner shell as it is, and its status comes back.
func TestWrittenCommandsRun(t *testing.T) {
	tests := []struct {
		command, want string
		status        int
	}{
		{`printf %s "it's"`, "it's", 0},
		{"x='a\nb'\nprintf %s \"$x\"", "a\nb", 0},
		{`printf '%s' '$HOME \ "q" ` + "`id`" + `'`, "$HOME \\ \"q\" `id`", 0},
		{"printf a\n\nfalse\nprintf b", "a", 1},
		{"exit 7", "", 7},
		{"  # a comment\nprintf ok # more", "ok", 0},
		{"''", "", 127},
	}
	for _, test := range tests {
		dir := t.TempDir()
		var out bytes.Buffer
		c := Call{Path: write(t, filepath.Join(dir, "h"), Setup, test.command), Dir: dir,
			Env: []string{"PATH=" + os.Getenv("PATH")}, Stderr: &out}
		err := Run(context.Background(), c)
		status := 0
		if exit := (*ExitError)(nil); errors.As(err, &exit) {
			status = exit.Status
		}
		if status != test.status || !strings.HasPrefix(out.String(), test.want) {
			t.Errorf("%q: status %d, output %q; want %d, %q", test.command, status, out.String(),
				test.status, test.want)
		}
	}
}

func TestWriteReplacesALink(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "hooks")
	victim := put(t, filepath.Join(dir, "victim"), "mine", 0o644)
	write(t, folder, Setup, "true")
	if err := os.Symlink(victim, filepath.Join(folder, "ports")); err != nil {
		t.Fatal(err)
	}
	path := write(t, folder, Ports, "10")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("Lstat(%s) = %v, %v; want a regular file", path, info, err)
	}
	if data, err := os.ReadFile(victim); string(data) != "mine" {
		t.Errorf("the link's target holds %q, %v; want it untouched", data, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, plant := range map[string]func(folder string) error{
		"folder is a link": func(f string) error { return os.Symlink(t.TempDir(), f) },
		"folder is a file": func(f string) error { return os.WriteFile(f, nil, 0o644) },
		"dangling link":    func(f string) error { return os.Symlink("nowhere", f) },
		"hook is a directory": func(f string) error {
			return os.MkdirAll(filepath.Join(f, "setup"), 0o755)
		},
	} {
		folder := filepath.Join(t.TempDir(), "hooks")
		if err := plant(folder); err != nil {
			t.Fatal(err)
		}
		_, err := Write(folder, Setup, "true")
		var r *refuse.Refusal
		if !errors.As(err, &r) || r.Code != refuse.HookUnwritable || !strings.Contains(r.Message, folder) {
			t.Errorf("%s: Write() = %v; want %s naming it", name, err, refuse.HookUnwritable)
		}
	}
}
