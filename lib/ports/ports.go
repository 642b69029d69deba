// Package ports gives worktrees blocks of TCP ports and keeps the record of who holds which.
//
// The record is one small file per claimed unit of ten ports, shared by every project of the
// account, since ports are the machine's. A claim names its holder by the absolute path of the
// worktree's ledger file. All changes are made under one lock, and each claim comes to be whole:
// a process killed at any point leaves claims that name it, which its next claim takes up again.
package ports

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
)

// A Store is the directory of the claims.
type Store struct {
	// Dir is <data>/ports. It need not exist before the first claim.
	Dir string
	// Busy reports whether a program listens on a port; nil asks by connecting on loopback.
	Busy func(port int) bool
}

// A Claim is one unit that somebody holds.
type Claim struct {
	Unit  int    // its first port
	Entry string // the holder's ledger file
	// Err says why the claim's file could not be read. Its holder is then unknown, and the unit
	// is neither handed out nor freed.
	Err error
}

// All returns every claim, by unit. A directory that does not exist holds none.
func (s Store) All() ([]Claim, error) {
	names, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var claims []Claim
	for _, name := range names {
		unit, ok := unitNamed(name.Name())
		if !ok {
			continue
		}
		entry, err := readClaim(s.path(unit))
		if errors.Is(err, fs.ErrNotExist) {
			continue // freed since the directory was read
		}
		claims = append(claims, Claim{Unit: unit, Entry: entry, Err: err})
	}
	sort.Slice(claims, func(i, j int) bool { return claims[i].Unit < claims[j].Unit })
	return claims, nil
}

// Held returns the units the worktree of that ledger file holds. It needs no lock.
func (s Store) Held(entry string) (Block, error) {
	claims, err := s.All()
	return heldBy(claims, entry), err
}

func heldBy(claims []Claim, entry string) Block {
	var block Block
	for _, c := range claims {
		if c.Err == nil && c.Entry == entry {
			block = append(block, c.Unit)
		}
	}
	return block
}

func (s Store) path(unit int) string {
	return filepath.Join(s.Dir, strconv.Itoa(unit))
}

// unitNamed returns the unit a claim file of that name stands for. Other names, the lock and
// temporary files among them, stand for none.
func unitNamed(name string) (int, bool) {
	unit, err := strconv.Atoi(name)
	ok := err == nil && strconv.Itoa(unit) == name &&
		unit >= First && unit <= Last && unit%UnitSize == 0
	return unit, ok
}
