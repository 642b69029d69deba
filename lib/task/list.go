package task

import (
	"context"
	"fmt"
	"slices"

	"github.com/cniska/agent-worktree/lib/ports"
)

// ListColumns are the columns `ls -o` knows.
var ListColumns = []string{"name", "state", "path", "branch", "ports", "head"}

// States are those that `ls --state` knows, in the order of the counts.
var States = []string{string(Ready), string(Pending), string(Orphaned), string(Unlisted), string(Unmanaged), string(Legacy)}

// ListOptions say what `ls` prints.
type ListOptions struct {
	Columns []string // of ListColumns
	States  []string // keep rows in these states; empty keeps all
	All     bool     // every project under the data directory
	Outside bool     // git's other worktrees of this clone too
	Fetch   bool     // ask the remotes
}

// A Count is how many worktrees are in a state.
type Count struct {
	State string
	N     int
}

// A Listing is what `ls` prints: counts in the order of States, and a row per worktree
// by name, its cells in the order of Columns: strings, or nil.
type Listing struct {
	Counts  []Count
	Columns []string
	Rows    [][]any
}

// List lists the project's worktrees, and what else is in its part of the store.
func (p *Project) List(ctx context.Context, o ListOptions) (Listing, error) {
	if err := p.store.Check(p.store.Dir()); err != nil {
		note(p.Stderr, "%s", err)
	}
	standings, err := p.survey(ctx)
	if err != nil {
		return Listing{}, err
	}
	out := Listing{Columns: o.Columns, Counts: count(standings)}
	claims, err := p.claims(o.Columns)
	if err != nil {
		return Listing{}, err
	}
	for _, s := range standings {
		if len(o.States) > 0 && !slices.Contains(o.States, string(s.state)) {
			continue
		}
		row := make([]any, len(o.Columns))
		for i, column := range o.Columns {
			row[i] = cell(s, column, claims)
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// survey is how each worktree of the project stands, by name.
func (p *Project) survey(ctx context.Context) ([]standing, error) {
	names, err := p.names()
	if err != nil {
		return nil, err
	}
	_, find, err := p.listing(ctx)
	if err != nil {
		return nil, err
	}
	standings := make([]standing, 0, len(names))
	for _, name := range names {
		s := p.stand(name, find)
		if s.state == Corrupt {
			note(p.Stderr, "%s", s.err)
		}
		standings = append(standings, p.asItWas(s))
	}
	return standings, nil
}

func count(standings []standing) []Count {
	n := map[State]int{}
	for _, s := range standings {
		n[s.state]++
	}
	var counts []Count
	for _, state := range States {
		counts = append(counts, Count{State: state, N: n[State(state)]})
	}
	if n[Corrupt] > 0 {
		counts = append(counts, Count{State: string(Corrupt), N: n[Corrupt]})
	}
	return counts
}

// claims are the port blocks by ledger file, read only where a column shows them.
func (p *Project) claims(columns []string) (map[string]ports.Block, error) {
	if !slices.Contains(columns, "ports") {
		return nil, nil
	}
	all, err := p.ports.All()
	if err != nil {
		return nil, err
	}
	blocks := map[string]ports.Block{}
	for _, c := range all {
		if c.Err == nil {
			blocks[p.fileName(c.Entry)] = append(blocks[p.fileName(c.Entry)], c.Unit)
		}
	}
	return blocks, nil
}

// fileName is the name of this project's worktree that a claim is for, "" for another's.
func (p *Project) fileName(entry string) string {
	if name := nameOfEntry(entry); p.ledger.File(name) == entry {
		return name
	}
	return ""
}

func cell(s standing, column string, claims map[string]ports.Block) any {
	switch column {
	case "name":
		return s.name
	case "state":
		return string(s.state)
	case "path":
		return s.path
	case "branch":
		return orNil(s.tree.Short())
	case "head":
		return orNil(s.tree.Head)
	case "ports":
		return orNil(claims[s.name].String())
	}
	panic(fmt.Sprintf("column %s", column))
}

// orNil is s, or nil where there is nothing to show.
func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
