package ports

import (
	"context"
	"os"
	"slices"
	"testing"
)

func TestFree(t *testing.T) {
	ctx := context.Background()
	s := idle(t)
	hold(t, s, "/a", 24000, 24010, 24030)
	hold(t, s, "/b", 24020)
	freed, err := s.Free(ctx, "/a", Block{24010})
	if err != nil || !slices.Equal(freed, Block{24000, 24030}) {
		t.Errorf("Free(/a, keep 24010) = %v, %v; want 24000 and 24030", []int(freed), err)
	}
	wantHeld(t, s, "/a", 24010)
	for _, want := range []Block{{24010}, nil} {
		if freed, err := s.Free(ctx, "/a", nil); err != nil || !slices.Equal(freed, want) {
			t.Errorf("Free(/a) = %v, %v; want %v", []int(freed), err, []int(want))
		}
	}
	wantHeld(t, s, "/b", 24020)
}

func TestFreeMakesNothing(t *testing.T) {
	ctx := context.Background()
	s := idle(t)
	if freed, err := s.Free(ctx, "/a", nil); err != nil || freed != nil {
		t.Errorf("Free(/a) = %v, %v; want nothing", freed, err)
	}
	if freed, err := s.FreeGone(ctx, func(string) bool { return true }); err != nil || freed != nil {
		t.Errorf("FreeGone() = %v, %v; want nothing", freed, err)
	}
	if _, err := os.Stat(s.Dir); !os.IsNotExist(err) {
		t.Errorf("Stat(%s) = %v; want no such directory", s.Dir, err)
	}
}

func TestFreeGone(t *testing.T) {
	s := idle(t)
	hold(t, s, "/late", 24000)
	hold(t, s, "/gone", 24010, 24050)
	hold(t, s, "/held", 24020)
	hold(t, s, "/gone2", 24030)
	asked := map[string]int{}
	freed, err := s.FreeGone(context.Background(), func(entry string) bool {
		asked[entry]++
		// /late is registered again by the time the lock is held.
		return entry == "/gone" || entry == "/gone2" || entry == "/late" && asked[entry] == 1
	})
	if err != nil || len(freed) != 2 || freed[0].Entry != "/gone" || freed[1].Entry != "/gone2" ||
		!slices.Equal(freed[0].Block, Block{24010, 24050}) {
		t.Errorf("FreeGone() = %v, %v; want /gone and /gone2 with their blocks", freed, err)
	}
	if asked["/gone"] != 2 {
		t.Errorf("/gone was judged %d times; want 2, once under the lock", asked["/gone"])
	}
	wantHeld(t, s, "/late", 24000)
	wantHeld(t, s, "/held", 24020)
	wantHeld(t, s, "/gone")
}
