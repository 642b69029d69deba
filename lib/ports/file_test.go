//go:build unix

package ports

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestClaimFileKeepsAnyPath(t *testing.T) {
	s := idle(t)
	for _, entry := range []string{"/a b/ü.json", "/bad\xff\xfe.json", "/q\"\n<&>\\.json"} {
		claim(t, s, Request{Entry: entry, Units: 1})
		if held, err := s.Held(entry); err != nil || len(held) != 1 {
			t.Errorf("Held(%q) = %v, %v; want one unit", entry, held, err)
		}
	}
	data, err := os.ReadFile(s.path(24000))
	want := `{"version":1,"entry":"/a b/ü.json"}` + "\n"
	if err != nil || string(data) != want {
		t.Errorf("claim file = %q, %v; want %q", data, err, want)
	}
}

func TestUnreadableClaimIsHeld(t *testing.T) {
	s := idle(t)
	hold(t, s, "/ok", 24000)
	text := func(data string) func(string) error {
		return func(p string) error { return os.WriteFile(p, []byte(data), 0o600) }
	}
	plant := map[int]func(path string) error{
		24010: text("{"),
		24020: text(""),
		24030: text(`{"version":1,"entry":"x"}`),
		24040: text(`{"version":2,"entry":"/x"}`),
		24050: func(p string) error { return os.Symlink(s.path(24000), p) },
		24060: func(p string) error { return os.Mkdir(p, 0o700) },
		24070: func(p string) error { return syscall.Mkfifo(p, 0o600) },
		24080: func(p string) error { return os.Symlink("nowhere", p) },
	}
	for unit, make := range plant {
		if err := make(s.path(unit)); err != nil {
			t.Fatal(err)
		}
	}
	g := claim(t, s, Request{Entry: "/a", Units: 1, State: func(string) Holder { return Held }})
	if g.Block.First() != 24090 {
		t.Errorf("Claim(/a, 1) = %v; want 24090", g.Block)
	}
	freed, err := s.FreeGone(context.Background(), func(string) bool { return true })
	if err != nil || len(freed) != 2 {
		t.Errorf("FreeGone(all) = %v, %v; want the two readable ones", freed, err)
	}
	claims, err := s.All()
	if err != nil || len(claims) != len(plant) {
		t.Fatalf("All() = %v, %v; want the %d unreadable ones", claims, err, len(plant))
	}
	for _, c := range claims {
		if c.Err == nil || c.Entry != "" {
			t.Errorf("All(): %+v; want an error and no entry", c)
		}
	}
}

func TestOtherNamesAreNoClaims(t *testing.T) {
	s := idle(t)
	hold(t, s, "/a", 24990)
	for _, name := range []string{".lock", "24005", "024010", "+24010", "23990", "25000", "x"} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	claims, err := s.All()
	if err != nil || len(claims) != 1 || claims[0].Unit != 24990 {
		t.Errorf("All() = %v, %v; want 24990 alone", claims, err)
	}
}

func TestClaimSweepsTemporaryFiles(t *testing.T) {
	s := idle(t)
	hold(t, s, "/a", 24000)
	dead := filepath.Join(s.Dir, tempPrefix+"1")
	if err := os.WriteFile(dead, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	claim(t, s, Request{Entry: "/b", Units: 1})
	names, err := os.ReadDir(s.Dir)
	var got []string
	for _, n := range names {
		got = append(got, n.Name())
	}
	if want := []string{".lock", "24000", "24010"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("directory = %v, %v; want %v", got, err, want)
	}
}

func TestFailedWriteGivesBack(t *testing.T) {
	s := idle(t)
	hold(t, s, "/b", 24010)
	if err := s.write("/a", Block{24000, 24010, 24020}); err == nil {
		t.Error("write over a held unit = nil; want an error")
	}
	wantHeld(t, s, "/a")
	wantHeld(t, s, "/b", 24010)
}

func TestLockFileIsAFIFOOrALink(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"fifo": func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"link": func(p string) error { return os.Symlink("elsewhere", p) },
	} {
		s := idle(t)
		hold(t, s, "/a", 24000)
		if err := plant(filepath.Join(s.Dir, ".lock")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Claim(context.Background(), Request{Entry: "/b", Units: 1}); err == nil {
			t.Errorf("Claim with a %s as the lock = nil; want an error", name)
		}
	}
}

func TestClaimWaitsForTheLock(t *testing.T) {
	s := idle(t)
	unlock, err := s.lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 30*time.Millisecond, os.ErrClosed)
	defer cancel()
	_, err = s.Claim(ctx, Request{Entry: "/a", Units: 1})
	if err == nil || !strings.Contains(err.Error(), os.ErrClosed.Error()) {
		t.Errorf("Claim while locked = %v; want the context's cause", err)
	}
	unlock()
	claim(t, s, Request{Entry: "/a", Units: 1})
}

// TestLockSurvivesItsRemoval: a waiter that gets the lock of a removed file takes the new one.
func TestLockSurvivesItsRemoval(t *testing.T) {
	s := idle(t)
	unlock, err := s.lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		unlock, err := s.lock(context.Background())
		if err == nil {
			unlock()
		}
		got <- err
	}()
	path := filepath.Join(s.Dir, ".lock")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	unlock()
	if err := <-got; err != nil {
		t.Errorf("lock() = %v; want nil", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("lock file: %v; want a new one", err)
	}
}
