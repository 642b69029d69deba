package ports

import (
	"context"
	"slices"
)

// Free gives up a worktree's units outside keep and returns them. A worktree that holds none
// costs no lock, so a project without ports never waits here.
func (s Store) Free(ctx context.Context, entry string, keep Block) (Block, error) {
	held, err := s.Held(entry)
	if err != nil || len(held.without(keep)) == 0 {
		return nil, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	held, err = s.Held(entry)
	if err != nil {
		return nil, err
	}
	rest := held.without(keep)
	return rest, s.drop(rest)
}

// FreeGone frees the block of every holder that is gone, by the lowest unit, and returns them.
// Each is judged twice, the second time under the lock, since a worktree of the same name may
// have been registered in between. What was freed counts even with an error.
func (s Store) FreeGone(ctx context.Context, gone func(entry string) bool) ([]Freed, error) {
	blocks, err := s.blocksOf(gone)
	if err != nil || len(blocks) == 0 {
		return nil, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	blocks, err = s.blocksOf(gone)
	if err != nil {
		return nil, err
	}
	for i, freed := range blocks {
		if err := s.drop(freed.Block); err != nil {
			return blocks[:i], err
		}
	}
	return blocks, nil
}

// blocksOf returns the blocks whose holder the test picks, asking it once for each.
func (s Store) blocksOf(pick func(entry string) bool) ([]Freed, error) {
	claims, err := s.All()
	if err != nil {
		return nil, err
	}
	var blocks []Freed
	var seen []string
	for _, c := range claims {
		if c.Err != nil || slices.Contains(seen, c.Entry) {
			continue
		}
		seen = append(seen, c.Entry)
		if pick(c.Entry) {
			blocks = append(blocks, Freed{Block: heldBy(claims, c.Entry), Entry: c.Entry})
		}
	}
	return blocks, nil
}
