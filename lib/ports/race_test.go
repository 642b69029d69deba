package ports

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// childVar makes the test binary a process that claims and frees in the directory it names.
const childVar = "PORTS_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVar); dir != "" {
		if err := churn(world(dir), os.Args[1], 1<<30); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

// world is a directory with a store, one ledger file per worktree, and a witness for each unit
// that somebody was granted: a link that can be made only once and says the holder's name.
type world string

func (w world) store() Store {
	return Store{Dir: filepath.Join(string(w), "ports"), Busy: func(int) bool { return false }}
}

func (w world) entry(name string) string { return filepath.Join(string(w), "ledger", name) }

func (w world) witness(unit int) string {
	return filepath.Join(string(w), "witness", strconv.Itoa(unit))
}

func newWorld(t *testing.T) world {
	w := world(t.TempDir())
	for _, dir := range []string{"ledger", "witness"} {
		if err := os.Mkdir(filepath.Join(string(w), dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w world) state(entry string) Holder {
	if _, err := os.Stat(entry); errors.Is(err, fs.ErrNotExist) {
		return Gone
	}
	return Held
}

// churn claims and frees 1 to 4 units for one worktree and returns the first violation.
func churn(w world, name string, rounds int) error {
	s, entry, ctx := w.store(), w.entry(name), context.Background()
	if err := os.WriteFile(entry, nil, 0o600); err != nil {
		return err
	}
	for range rounds {
		units := 1 + rand.IntN(4)
		grant, err := s.Claim(ctx, Request{Entry: entry, Units: units, State: w.state})
		if err != nil {
			return err
		}
		if held, err := s.Held(entry); err != nil || !grant.Block.OneRunOf(units) ||
			held.String() != grant.Block.String() {
			return fmt.Errorf("granted %v of %d units, held %v, %v", grant.Block, units, held, err)
		}
		if err := w.use(name, grant.Block); err != nil {
			return err
		}
		if rand.IntN(3) == 0 {
			continue // the next claim is for another size
		}
		if _, err := s.Free(ctx, entry, nil); err != nil {
			return err
		}
	}
	return nil
}

// use is what a worktree does with its block: alone there, or it is an error.
func (w world) use(name string, block Block) error {
	for _, unit := range block {
		if err := os.Symlink(name, w.witness(unit)); err != nil {
			other, _ := os.Readlink(w.witness(unit))
			return fmt.Errorf("unit %d is used by %s and %s: %w", unit, other, name, err)
		}
	}
	for _, unit := range block {
		if err := os.Remove(w.witness(unit)); err != nil {
			return err
		}
	}
	return nil
}

// bury does for a killed worktree what deleting its clone does: its claims are then gone ones.
func (w world) bury(name string) error {
	for unit := First; unit < Last; unit += UnitSize {
		if owner, _ := os.Readlink(w.witness(unit)); owner == name {
			os.Remove(w.witness(unit))
		}
	}
	return os.RemoveAll(w.entry(name))
}

func TestGoroutinesShareNoUnit(t *testing.T) {
	w := newWorld(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if err := churn(w, "g"+strconv.Itoa(i), 20); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestClaimsOfOneWorktreeAgree(t *testing.T) {
	s := idle(t)
	hold(t, s, "/a", 24000)
	hold(t, s, "/b", 24010)
	blocks := make([]Block, 8)
	var group sync.WaitGroup
	for i := range blocks {
		group.Go(func() {
			grant, err := s.Claim(context.Background(), Request{Entry: "/a", Units: 3})
			if err != nil {
				t.Error(err)
			}
			blocks[i] = grant.Block
		})
	}
	group.Wait()
	for _, block := range blocks {
		if block.String() != "24020-24049" {
			t.Errorf("Claim(/a, 3) = %v; want 24020-24049 for all", block)
		}
	}
	wantHeld(t, s, "/a", 24020, 24030, 24040)
}

// TestKilledProcessesShareNoUnit runs processes that claim and free, and kills them at any point.
func TestKilledProcessesShareNoUnit(t *testing.T) {
	w := newWorld(t)
	var group sync.WaitGroup
	for slot := range 6 {
		group.Go(func() {
			for life := range 4 {
				if err := liveAndDie(w, fmt.Sprintf("p%d.%d", slot, life)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	freed, err := w.store().FreeGone(context.Background(), func(entry string) bool {
		return w.state(entry) == Gone
	})
	if err != nil {
		t.Errorf("FreeGone() = %v, %v; want nil", freed, err)
	}
	if claims, err := w.store().All(); err != nil || len(claims) != 0 {
		t.Errorf("All() = %v, %v; want none left", claims, err)
	}
}

func liveAndDie(w world, name string) error {
	child := exec.Command(os.Args[0], name)
	child.Env = append(os.Environ(), childVar+"="+string(w))
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		return err
	}
	time.Sleep(time.Duration(100+rand.IntN(200)) * time.Millisecond) // any point will do
	child.Process.Kill()
	child.Wait()
	if status := child.ProcessState.ExitCode(); status != -1 {
		return fmt.Errorf("process %s exited with status %d; want it alive until killed", name, status)
	}
	return w.bury(name)
}
