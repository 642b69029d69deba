//go:build unix

package keep

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Modes are ours, whatever the caller's umask lets through.
func TestArchiveModes(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/deep/a", "x")
	if err := os.Chmod(filepath.Join(r.Tree, ".notes/deep/a"), 0o666); err != nil {
		t.Fatal(err)
	}
	defer syscall.Umask(syscall.Umask(0))
	e := archive(t, r)
	err := filepath.WalkDir(e.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o; want %04o", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// git lists no FIFO; one can still come between its listing and our reading.
func TestReadText(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "text")
	link(t, "a", filepath.Join(dir, "link"))
	if err := errors.Join(syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600), os.Mkdir(filepath.Join(dir, "dir"), 0o700)); err != nil {
		t.Fatal(err)
	}
	tree, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if text, err := readText(tree, "a"); text != "text" || err != nil {
		t.Errorf("readText(a) = %q, %v", text, err)
	}
	for name, want := range map[string]error{
		"fifo": unfit("it is no regular file"), "dir": unfit("it is no regular file"), "link": unfit("it is no regular file"),
		"gone": errGone, "gone/x": errGone,
	} {
		if _, err := readText(tree, name); !errors.Is(err, want) {
			t.Errorf("readText(%s): %v; want %v", name, err, want)
		}
	}
}

func TestArchiveFIFO(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/a", "x")
	if err := syscall.Mkfifo(filepath.Join(r.Tree, ".notes/fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e := archive(t, r); e.Files != 1 {
		t.Errorf("Archive = %+v", e)
	}
	if err := errors.Join(os.Remove(r.Patterns), syscall.Mkfifo(r.Patterns, 0o600)); err != nil {
		t.Fatal(err)
	}
	r.Dest = t.TempDir()
	refused(t, r, r.Patterns, "the keep hook is no regular file")
}
