package ports

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// idle is a store in which no program listens anywhere.
func idle(t testing.TB) Store {
	dir := filepath.Join(t.TempDir(), "data", "ports")
	return Store{Dir: dir, Busy: func(int) bool { return false }}
}

// hold puts a claim file there as a claim would.
func hold(t testing.TB, s Store, entry string, units ...int) {
	t.Helper()
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.write(entry, units); err != nil {
		t.Fatal(err)
	}
}

func claim(t testing.TB, s Store, req Request) Grant {
	t.Helper()
	grant, err := s.Claim(context.Background(), req)
	if err != nil {
		t.Fatalf("Claim(%s, %d) = %v", req.Entry, req.Units, err)
	}
	return grant
}

func wantHeld(t testing.TB, s Store, entry string, want ...int) {
	t.Helper()
	got, err := s.Held(entry)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Held(%s) = %v, %v; want %v", entry, []int(got), err, want)
	}
}

func states(m map[string]Holder) func(string) Holder {
	return func(entry string) Holder { return m[entry] }
}

func TestClaimLowestFree(t *testing.T) {
	s := idle(t)
	for i, units := range []int{1, 2, 1} {
		entry := "/e" + string(rune('a'+i))
		if g := claim(t, s, Request{Entry: entry, Units: units}); !g.New {
			t.Errorf("Claim(%s, %d).New = false; want true", entry, units)
		}
	}
	wantHeld(t, s, "/ea", 24000)
	wantHeld(t, s, "/eb", 24010, 24020)
	wantHeld(t, s, "/ec", 24030)
	if _, err := s.Free(context.Background(), "/ea", nil); err != nil {
		t.Fatal(err)
	}
	claim(t, s, Request{Entry: "/ed", Units: 2}) // a hole of one unit does not do
	wantHeld(t, s, "/ed", 24040, 24050)
	claim(t, s, Request{Entry: "/ee", Units: 1})
	wantHeld(t, s, "/ee", 24000)
}

func TestClaimKeepsWhatFits(t *testing.T) {
	s := idle(t)
	s.Busy = func(port int) bool { t.Errorf("Busy(%d) was asked; want no probe", port); return true }
	hold(t, s, "/a", 24500, 24510)
	g := claim(t, s, Request{Entry: "/a", Units: 2})
	if g.New || !slices.Equal(g.Block, Block{24500, 24510}) {
		t.Errorf("Claim(/a, 2) = %+v; want the block it holds, not new", g)
	}
}

func TestClaimMends(t *testing.T) {
	tests := []struct {
		name  string
		mine  []int
		units int
		want  []int
	}{
		{"killed between two units", []int{24010}, 2, []int{24010, 24020}},
		{"a middle unit deleted", []int{24010, 24030}, 3, []int{24010, 24020, 24030}},
		{"wants more", []int{24010}, 3, []int{24010, 24020, 24030}},
		{"wants more than fits here", []int{24010}, 4, []int{24050, 24060, 24070, 24080}},
		{"wants less", []int{24010, 24020, 24030}, 1, []int{24010}},
		{"a lower block is free", []int{24060, 24080}, 1, []int{24010}},
	}
	for _, test := range tests {
		s := idle(t)
		hold(t, s, "/other", 24000, 24040)
		hold(t, s, "/a", test.mine...)
		g := claim(t, s, Request{Entry: "/a", Units: test.units})
		if !g.New || !slices.Equal(g.Block, test.want) {
			t.Errorf("%s: Claim = %+v; want %v, new", test.name, g, test.want)
		}
		wantHeld(t, s, "/a", test.want...)
		wantHeld(t, s, "/other", 24000, 24040)
	}
}

func TestClaimSkipsBusyUnits(t *testing.T) {
	s := idle(t)
	s.Busy = func(port int) bool { return port == 24009 || port == 24010 || port == 24035 }
	claim(t, s, Request{Entry: "/a", Units: 1})
	wantHeld(t, s, "/a", 24020)
	// Its own server listens on 24020; the unit is its own all the same.
	s.Busy = func(port int) bool { return port < 24030 }
	claim(t, s, Request{Entry: "/a", Units: 2})
	wantHeld(t, s, "/a", 24020, 24030)
}

func TestClaimTakesGoneBlocks(t *testing.T) {
	s := idle(t)
	hold(t, s, "/gone", 24000, 24050)
	hold(t, s, "/held", 24010)
	hold(t, s, "/far", 24900)
	g := claim(t, s, Request{Entry: "/a", Units: 2, State: states(map[string]Holder{
		"/gone": Gone, "/far": Gone,
	})})
	want := Freed{Block: Block{24000, 24050}, Entry: "/gone"}
	if len(g.Freed) != 1 || g.Freed[0].Entry != want.Entry ||
		!slices.Equal(g.Freed[0].Block, want.Block) {
		t.Errorf("Claim(/a, 2).Freed = %v; want %v", g.Freed, want)
	}
	wantHeld(t, s, "/a", 24020, 24030)
	wantHeld(t, s, "/gone")
	wantHeld(t, s, "/far", 24900) // not on the way
}

func TestClaimBlockedByStale(t *testing.T) {
	s := idle(t)
	hold(t, s, "/stale", 24000)
	hold(t, s, "/held", 24010)
	hold(t, s, "/second", 24030)
	req := Request{Entry: "/a", Units: 2, State: states(map[string]Holder{
		"/stale": Stale, "/second": Stale,
	})}
	g := claim(t, s, req)
	if g.Blocked != "/second" || g.Block != nil || g.New {
		t.Errorf("Claim(/a, 2) = %+v; want blocked by /second and nothing claimed", g)
	}
	wantHeld(t, s, "/a")
	req.State = nil
	claim(t, s, req)
	wantHeld(t, s, "/a", 24040, 24050)
}

func TestClaimAsksOncePerHolder(t *testing.T) {
	s := idle(t)
	hold(t, s, "/other", 24000, 24010, 24020)
	asked := 0
	claim(t, s, Request{Entry: "/a", Units: 1, State: func(string) Holder { asked++; return Held }})
	if asked != 1 {
		t.Errorf("State was asked %d times; want once", asked)
	}
}

func TestClaimNone(t *testing.T) {
	s := idle(t)
	s.Busy = func(port int) bool { return port%(2*UnitSize) == 5 }
	hold(t, s, "/gone", 24000)
	g, err := s.Claim(context.Background(), Request{Entry: "/a", Units: 2,
		State: func(string) Holder { return Gone }})
	if !errors.Is(err, ErrNone) || len(g.Freed) != 1 {
		t.Errorf("Claim(/a, 2) = %+v, %v; want ErrNone and one block freed", g, err)
	}
	claim(t, s, Request{Entry: "/a", Units: 1})
	wantHeld(t, s, "/a", 24010)
}

func TestClaimWholeRange(t *testing.T) {
	s := idle(t)
	g := claim(t, s, Request{Entry: "/a", Units: unitCount})
	if got := g.Block.String(); got != "24000-24999" {
		t.Errorf("Claim(/a, %d) = %s; want 24000-24999", unitCount, got)
	}
	_, err := idle(t).Claim(context.Background(), Request{Entry: "/a", Units: unitCount + 1})
	if !errors.Is(err, ErrNone) {
		t.Errorf("Claim(/a, %d) = %v; want ErrNone", unitCount+1, err)
	}
}

func TestClaimRejectsItsCaller(t *testing.T) {
	for _, req := range []Request{{Entry: "a", Units: 1}, {Units: 1}, {Entry: "/a"}} {
		s := idle(t)
		if _, err := s.Claim(context.Background(), req); err == nil {
			t.Errorf("Claim(%+v) = nil; want an error", req)
		}
		if _, err := os.Stat(s.Dir); err == nil {
			t.Errorf("Claim(%+v) made the directory; want nothing made", req)
		}
	}
}
