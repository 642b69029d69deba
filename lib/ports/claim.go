package ports

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// ErrNone is returned by Claim when no free block of the size asked for is left.
var ErrNone = errors.New("no free block of ports of that size")

// A Holder is what became of a worktree that holds units another one could use.
type Holder int

const (
	Held  Holder = iota // it may be in use: its units are not to be had
	Gone                // its ledger entry is gone: its units are freed on the way
	Stale               // registered, its directory gone: its teardown must run first
)

// A Request asks for one run of units.
type Request struct {
	Entry string // the worktree's ledger file, absolute
	Units int    // at least 1
	// State judges another holder, by its ledger file. It is called under the lock, once for
	// each holder met on the way. Nil means Held for all.
	State func(entry string) Holder
}

// A Freed is the block that a holder gave up since its ledger entry is gone.
type Freed struct {
	Block Block
	Entry string
}

// A Grant is the answer to a Request.
type Grant struct {
	Block Block
	New   bool    // the block is not the one the worktree held before
	Freed []Freed // what was freed on the way; counts even when Claim fails
	// Blocked is the ledger file of a Stale holder whose units lie in the lowest block. Block is
	// then empty and nothing was claimed: tear that worktree down, free its block and ask again,
	// or ask again with Held for it.
	Blocked string
}

// Claim gives a worktree the lowest free block of the size it asks for. A worktree that already
// holds one run of that size keeps it, whoever listens there. Otherwise the units it holds count
// as free without being probed, as the listener on them is most likely its own, and those left
// outside the new block are freed. ErrNone says that no block is left; what the worktree held
// stays its own then.
func (s Store) Claim(ctx context.Context, req Request) (Grant, error) {
	if !filepath.IsAbs(req.Entry) {
		return Grant{}, fmt.Errorf("port claim for %q: not an absolute path", req.Entry)
	}
	if req.Units < 1 {
		return Grant{}, fmt.Errorf("port claim for %s: %d units", req.Entry, req.Units)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Grant{}, err
	}
	defer unlock()
	found, err := s.newSearch(req)
	if err != nil {
		return Grant{}, err
	}
	if found.mine.OneRunOf(req.Units) {
		return Grant{Block: found.mine}, nil
	}
	return found.claim(ctx)
}

// search is one look for a block, made under the lock.
type search struct {
	store  Store
	req    Request
	mine   Block         // what the requesting worktree holds
	claims map[int]Claim // by unit
	states map[string]Holder
	freed  []Freed
}

func (s Store) newSearch(req Request) (*search, error) {
	if err := s.sweep(); err != nil {
		return nil, err
	}
	list, err := s.All()
	if err != nil {
		return nil, err
	}
	found := &search{store: s, req: req, mine: heldBy(list, req.Entry),
		claims: make(map[int]Claim), states: make(map[string]Holder)}
	for _, c := range list {
		found.claims[c.Unit] = c
	}
	return found, nil
}

func (f *search) claim(ctx context.Context) (Grant, error) {
	run, err := f.lowest(ctx)
	if err != nil {
		return Grant{Freed: f.freed}, err
	}
	if entry := f.blocker(run); entry != "" {
		return Grant{Freed: f.freed, Blocked: entry}, nil
	}
	// The new units first: a process killed in between holds too much rather than too little.
	if fresh := run.without(f.mine); len(fresh) > 0 {
		err = f.store.write(f.req.Entry, fresh)
	}
	if err != nil {
		return Grant{Freed: f.freed}, err
	}
	if old := f.mine.without(run); len(old) > 0 {
		err = f.store.drop(old)
	}
	return Grant{Block: run, New: true, Freed: f.freed}, err
}

// lowest returns the lowest run of units that could be had, a Stale holder's among them.
func (f *search) lowest(ctx context.Context) (Block, error) {
	var run Block
	for unit := First; unit <= Last; unit += UnitSize {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		open, err := f.open(unit)
		if err != nil {
			return nil, err
		}
		if !open {
			run = nil
			continue
		}
		run = append(run, unit)
		if len(run) == f.req.Units {
			return run, nil
		}
	}
	return nil, ErrNone
}

// open reports whether a unit could be part of the block, and frees a Gone holder's.
func (f *search) open(unit int) (bool, error) {
	claim, held := f.claims[unit]
	if !held {
		return !f.store.unitBusy(unit), nil
	}
	if claim.Err != nil {
		return false, nil
	}
	if claim.Entry == f.req.Entry {
		return true, nil
	}
	switch f.state(claim.Entry) {
	case Gone:
		if err := f.free(claim.Entry); err != nil {
			return false, err
		}
		return !f.store.unitBusy(unit), nil
	case Stale:
		// Not probed: what listens there may well end with its teardown.
		return true, nil
	default:
		return false, nil
	}
}

func (f *search) state(entry string) Holder {
	if f.req.State == nil {
		return Held
	}
	holder, asked := f.states[entry]
	if !asked {
		holder = f.req.State(entry)
		f.states[entry] = holder
	}
	return holder
}

// free frees the whole block of a Gone holder, the units still ahead included.
func (f *search) free(entry string) error {
	var block Block
	for unit := First; unit <= Last; unit += UnitSize {
		if c, held := f.claims[unit]; held && c.Err == nil && c.Entry == entry {
			block = append(block, unit)
			delete(f.claims, unit)
		}
	}
	if err := f.store.drop(block); err != nil {
		return err
	}
	f.freed = append(f.freed, Freed{Block: block, Entry: entry})
	return nil
}

// blocker returns the first Stale holder with a unit in the run, "" when there is none.
func (f *search) blocker(run Block) string {
	for _, unit := range run {
		if c, held := f.claims[unit]; held && c.Entry != f.req.Entry {
			return c.Entry
		}
	}
	return ""
}
