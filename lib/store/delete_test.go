package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// plant makes files and directories below dir; a path that ends in a slash is one.
func plant(t *testing.T, dir string, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(p), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDelete(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, "tree/a", "tree/sub/b", "tree/sub/deep/c", "outside/kept")
	os.Symlink("../outside", filepath.Join(dir, "tree", "link"))
	os.Symlink("nowhere", filepath.Join(dir, "tree", "dangling"))
	os.Chmod(filepath.Join(dir, "tree", "sub"), 0o500)
	if err := Delete(filepath.Join(dir, "tree")); err != nil {
		t.Errorf("Delete = %v; want nil", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "tree")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the tree is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "outside", "kept")); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}
	if err := Delete(filepath.Join(dir, "none")); err != nil {
		t.Errorf("Delete of nothing = %v; want nil", err)
	}
}

// TestDeleteFollowsNoSwappedLink puts a link in a directory's place while the tree is
// being deleted, at many moments.
func TestDeleteFollowsNoSwappedLink(t *testing.T) {
	for round := range 60 {
		dir := t.TempDir()
		plant(t, dir, "precious/src/work")
		for i := range 300 {
			plant(t, dir, filepath.Join("tree", "nm", string(rune('a'+i%26))+"x", time.Duration(i).String()))
		}
		victim := filepath.Join(dir, "tree", "nm", "zlib")
		plant(t, dir, "tree/nm/zlib/f")
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(time.Duration(round*40) * time.Microsecond)
			if os.Rename(victim, filepath.Join(dir, "away")) == nil {
				os.Symlink(filepath.Join(dir, "precious"), victim)
			}
		}()
		Delete(filepath.Join(dir, "tree"))
		<-done
		if _, err := os.Stat(filepath.Join(dir, "precious", "src", "work")); err != nil {
			t.Fatalf("round %d: a file behind a swapped link is gone: %v", round, err)
		}
	}
}
