package keep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestArchiveRefuses(t *testing.T) {
	big := strings.Repeat("0123456789abcde\n", maxFile/16)
	for reason, text := range map[string]string{
		"it is not text":          "a\x00b",
		"it is not text ":         "caf\xe9",
		"it is larger than 4 MiB": big + "x",
	} {
		t.Run(reason, func(t *testing.T) {
			r := newRequest(t, ".notes/")
			put(t, r.Tree, ".notes/a.md", "fine")
			put(t, r.Tree, ".notes/bad file", text)
			reason := strings.TrimSpace(reason)
			got := refused(t, r, ".notes/bad file", reason)
			if want := "move or remove '" + r.Source + "/.notes/bad file', change the keep hook, or run agent-worktree remove --force task-a"; got.Resolve != want {
				t.Errorf("resolve %q; want %q", got.Resolve, want)
			}
			r.Force, r.Discard = true, true
			refused(t, r, ".notes/bad file", reason)

			r.Discard = false
			e := archive(t, r)
			if e.Files != 1 || !slices.Equal(e.Left, []Left{{".notes/bad file", reason}}) {
				t.Errorf("with force %+v", e)
			}
			if got := files(t, e.Path); !slices.Equal(got, []string{".notes/a.md", manifestName}) {
				t.Errorf("archived %q", got)
			}
		})
	}
}

// Under force alone nothing need be archived for the worktree to go.
func TestArchiveLeavesAll(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/a", "\x00")
	r.Force = true
	if e := archive(t, r); e.Path != "" || e.Name != "" || len(e.Left) != 1 {
		t.Errorf("Archive = %+v", e)
	}
	empty(t, r)
}

func TestArchiveUnreadableHook(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/a", "x")
	if err := errors.Join(os.Remove(r.Patterns), os.Mkdir(r.Patterns, 0o755)); err != nil {
		t.Fatal(err)
	}
	got := refused(t, r, r.Patterns, "the keep hook is no regular file")
	if !strings.Contains(got.Resolve, "move or remove "+r.Patterns+",") {
		t.Errorf("resolve %q", got.Resolve)
	}
	r.Force = true
	if e := archive(t, r); e.Path != "" || len(e.Left) != 1 || e.Left[0].Path != r.Patterns {
		t.Errorf("with force %+v", e)
	}
	if err := os.Remove(r.Patterns); err != nil {
		t.Fatal(err)
	}
	link(t, "nowhere", r.Patterns)
	r.Force = false
	refused(t, r, r.Patterns, "the keep hook cannot be read: no such file or directory")
}

func TestArchiveSecretName(t *testing.T) {
	r := newRequest(t, ".notes/")
	name := ".notes/ghp" + "_" + abc36
	put(t, r.Tree, name, "x")
	refused(t, r, name, "its name holds a secret")
}

// The manifest's place is its own.
func TestArchiveManifestName(t *testing.T) {
	r := newRequest(t, "/manifest.json", "/Manifest.JSON~/")
	put(t, r.Tree, ".gitignore", "anifest.json\n/[mM]*\n")
	put(t, r.Tree, "manifest.json", "mine")
	put(t, r.Tree, "Manifest.JSON~/x", "mine too")
	e := archive(t, r)
	want := []string{"Manifest.JSON~~/x", manifestName, "manifest.json~"}
	if got := files(t, e.Path); !slices.Equal(got, want) {
		t.Errorf("archived %q; want %q", got, want)
	}
	if m := manifestOf(t, e); m.Files[1].Path != "manifest.json" || m.Files[1].Stored != "manifest.json~" {
		t.Errorf("manifest %+v", m.Files)
	}
	if got := read(t, e.Path, "manifest.json~"); got != "mine" {
		t.Errorf("the file is %q", got)
	}
}

func TestArchiveCannotWrite(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/a", "x")
	dest := r.Dest
	r.Dest = filepath.Join(r.Dest, "missing")
	refused(t, r, ".notes/a", "the archive cannot be written: no such file or directory")
	r.Force = true
	if e := archive(t, r); e.Path != "" || len(e.Left) != 1 {
		t.Errorf("with force %+v", e)
	}
	// A failure after the first file takes all back.
	r.Dest, r.Force = dest, false
	d, err := r.draft()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.write("a/b/c", "x"); err != nil {
		t.Fatal(err)
	}
	d.discard()
	empty(t, r)
}

func TestArchiveStops(t *testing.T) {
	r := newRequest(t, ".notes/")
	put(t, r.Tree, ".notes/a", "x")
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("stop")
	cancel(why)
	if _, err := Archive(ctx, r); !errors.Is(err, why) {
		t.Errorf("err = %v; want the context's cause", err)
	}
	empty(t, r)
}
