package place

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOdd(t *testing.T) {
	for text, want := range map[string]bool{
		"[core]\n\tbare = false\n":                               false,
		"[core]\n\tbare = true\n":                                true,
		"[core]\n\tbare\n":                                       true,
		"[core] bare = true\n":                                   true,
		"[CORE]\n\tWorkTree = /x\n":                              true,
		"[core] worktree = /x":                                   true,
		"[remote \"origin\"]\n\turl = /srv/agent-worktree.git\n": false,
		"[remote \"origin\"]\n\turl = /srv/include/extensions\n": false,
		"[branch \"worktree\"]\n\tremote = origin\n":             false,
		"[include]\n\tpath = other\n":                            true,
		"[includeIf \"gitdir:/x/\"] path = other\n":              true,
		"[extensions]\n\tworktreeConfig = true\n":                true,
		"": false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := odd(dir); got != want {
			t.Errorf("odd(%q) = %v; want %v", text, got, want)
		}
	}
	if !odd(t.TempDir()) {
		t.Error("odd with no config = false; want true")
	}
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"a", "task-a", "A_1.b", "1", "t", "x-head", strings.Repeat("n", 200), "deadbeef"} {
		if err := CheckName(name); err != nil {
			t.Errorf("CheckName(%q) = %v; want nil", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", ".a", "-a", "a.", "a..b", "a.lock", "a/b", "a b", "a\n", "caf\u00e9", "a\x1b",
		"HEAD", "head", "orig_head", strings.Repeat("n", 201), strings.Repeat("0af", 13) + "b", strings.Repeat("a", 64), "@", "a@{1}", "a~1", "a\xff"} {
		if err := CheckName(name); err == nil {
			t.Errorf("CheckName(%q) = nil; want a refusal", name)
		}
	}
}

func TestKey(t *testing.T) {
	if a, b := Key("/x/repo"), Key("/y/repo"); a == b || !strings.HasPrefix(a, "repo-") {
		t.Errorf("Key of two clones = %q and %q; want two that begin with repo-", a, b)
	}
	long := Key("/x/" + strings.Repeat("\u00e9", 200))
	if len(long) > maxPart || strings.ContainsRune(long, '\ufffd') {
		t.Errorf("Key of a long name = %d bytes %q; want at most %d, cut between letters", len(long), long, maxPart)
	}
}
