package release

import (
	"os"
	"path/filepath"
	"testing"
)

func TestChannelOf(t *testing.T) {
	pkg := "/@cniska/agent-worktree-" + npmPlatform() + "/bin/aw-ls"
	tests := []struct {
		executable string
		want       Channel
	}{
		{"/opt/homebrew/Cellar/agent-worktree/1.2.3/bin/aw-ls", Homebrew},
		{"/opt/homebrew/Cellar/agent-worktree-extra/1.2.3/bin/aw-ls", ""},
		{"/usr/lib/node_modules" + pkg, NPM},
		{"/usr/lib/node_modules/@cniska/agent-worktree/node_modules" + pkg, NPM},
		{"/h/.bun/install/global/node_modules" + pkg, Bun},
		{"/h/.bun/install/global/node_modules/@cniska/agent-worktree/node_modules" + pkg, Bun},
		{"/usr/lib/node_modules/@cniska/agent-worktree-plan9-mips/bin/aw-ls", ""},
		{"/usr/lib/node_modules/@cniska/agent-worktree/bin/aw-ls", ""},
		{"/h/.local/bin/agent-worktree", Curl},
		{"/h/.local/bin/aw-ls", Curl},
		{"/h/.local/bin/old/aw-ls", ""},
		{"/other/.local/bin/aw-ls", ""},
		{"/usr/bin/aw-ls", ""},
	}
	for _, test := range tests {
		if got := ChannelOf(test.executable, "/h"); got != test.want {
			t.Errorf("ChannelOf(%q) = %q; want %q", test.executable, got, test.want)
		}
	}
	if got := ChannelOf("/.local/bin/aw-ls", ""); got != "" {
		t.Errorf("ChannelOf without a home = %q; want none", got)
	}
}

// TestLinkedBin is a ~/.local/bin that is kept elsewhere.
func TestLinkedBin(t *testing.T) {
	home, kept := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".local"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, filepath.Join(home, ".local", "bin")); err != nil {
		t.Fatal(err)
	}
	if got := ChannelOf(filepath.Join(kept, "aw-ls"), home); got != Curl {
		t.Errorf("ChannelOf = %q; want %q", got, Curl)
	}
}

func TestNewer(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"1.2.4", "1.2.3", true}, {"1.10.0", "1.9.9", true}, {"2.0.0", "1.99.99", true},
		{"1.2.3", "1.2.3", false}, {"1.2.2", "1.2.3", false}, {"0.9.9", "1.0.0", false},
		{"", "1.2.3", false}, {"1.2", "1.1.0", false}, {"1.2.3.4", "1.2.3", false},
		{"v2.0.0", "1.0.0", false}, {"2.0.0-rc1", "1.0.0", false}, {"2..0", "1.0.0", false},
		{"+2.0.0", "1.0.0", false}, {"2.0.0\x1b[31m", "1.0.0", false}, {"2.0.0", "dev", false},
	}
	for _, test := range tests {
		if got := Newer(test.a, test.b); got != test.want {
			t.Errorf("Newer(%q, %q) = %v; want %v", test.a, test.b, got, test.want)
		}
	}
}
