package tests

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	released "github.com/cniska/agent-worktree/lib/release"
)

// TestFormula installs by the Homebrew formula, from the release's source archive, and runs
// the formula's own test. In place of Homebrew stands testdata/formula.rb.
func TestFormula(t *testing.T) {
	ruby, err := exec.LookPath("ruby")
	if err != nil {
		t.Skip("no ruby here, which formulas are written in; TestSourceArchive builds what the formula does")
	}
	dir, dist := unpackSources(t)
	prefix, scratch := t.TempDir(), t.TempDir()
	formula := filepath.Join(dist, "homebrew", "agent-worktree.rb")
	cmd := exec.Command(ruby, "testdata/formula.rb", formula, dir, prefix, scratch, released.Version())
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GOPATH="+goEnv(t, "GOPATH"), "GOCACHE="+goEnv(t, "GOCACHE"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	archive, err := os.ReadFile(filepath.Join(dist, "agent-worktree-source.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(archive)
	for _, want := range []string{
		"/releases/download/v" + released.Version() + "/agent-worktree-source.tar.gz\n", hex.EncodeToString(sum[:]) + "\n",
		"bin/agent-worktree\n", "bin/aw-latest\n", "share/man/man1/aw-create.1\n", "etc/bash_completion.d/agent-worktree\n",
		"share/zsh/site-functions/_agent-worktree\n", "share/fish/vendor_completions.d/agent-worktree.fish\n",
	} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("the formula's install lacks %q:\n%s", want, out)
		}
	}
}

// TestSourceArchive builds the tools from the release's source archive by the command that
// the formula has, and nothing else.
func TestSourceArchive(t *testing.T) {
	dir, dist := unpackSources(t)
	formula, err := os.ReadFile(filepath.Join(dist, "homebrew", "agent-worktree.rb"))
	if err != nil {
		t.Fatal(err)
	}
	_, build, _ := strings.Cut(string(formula), `system "go", `)
	build, _, ok := strings.Cut(build, "\n    man1")
	if !ok {
		t.Fatalf("no go build in the formula:\n%s", formula)
	}
	bin := t.TempDir()
	var args []string
	for _, arg := range strings.Split(build, ",") {
		args = append(args, strings.ReplaceAll(strings.Trim(strings.TrimSpace(arg), `"`), "#{bin}", bin))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	out, err := exec.Command(filepath.Join(bin, "agent-worktree"), "--version").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != released.Version() {
		t.Errorf("--version of what was built: %q, %v; want %s", got, err, released.Version())
	}
}

// unpackSources is the release's source archive, unpacked, and the release.
func unpackSources(t *testing.T) (dir, dist string) {
	t.Helper()
	made, err := releasedOnce()
	if err != nil {
		t.Fatal(err)
	}
	to, dist := t.TempDir(), filepath.Join(made, "dist")
	if out, err := exec.Command("tar", "-xzf", filepath.Join(dist, "agent-worktree-source.tar.gz"), "-C", to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(to, "agent-worktree"), dist
}

// goEnv is one of go's own settings.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
