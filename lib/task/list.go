package task

import (
	"context"
	"slices"
	"sync"

	"github.com/cniska/agent-worktree/lib/git"
)

// ListColumns are the columns `ls -o` knows.
var ListColumns = []string{"name", "state", "branch", "ports", "path", "head", "tree", "landed", "verdict", "reason",
	"active", "busy", "size", "project"}

// counted are the states that are always counted, in the order of the counts.
var counted = []State{Ready, Pending, Orphaned, Unlisted, Unmanaged, Legacy}

// States are those that `ls --state` knows.
var States = []string{string(Ready), string(Pending), string(Orphaned), string(Unlisted), string(Unmanaged),
	string(Legacy), string(Outside), string(Lost), string(Foreign), string(Corrupt)}

// ListOptions say what `ls` prints.
type ListOptions struct {
	Columns []string // of ListColumns
	States  []string // keep rows in these states; empty keeps all
	All     bool     // every project under the data directory; only ListAll heeds it
	Outside bool     // git's other worktrees of this clone too
	Fetch   bool     // ask the remotes and the forge
}

// A Count is how many worktrees are in a state.
type Count struct {
	State string
	N     int
}

// A Listing is what `ls` prints: counts in the order of States, and a row per worktree
// by name, its cells in the order of Columns: strings, ints or nil.
type Listing struct {
	Counts  []Count
	Columns []string
	Rows    [][]any
}

// List lists the project's worktrees, and what else is in its part of the store.
func (p *Project) List(ctx context.Context, o ListOptions) (Listing, error) {
	p.noteStore()
	rows, err := p.rowsOf(ctx, o)
	if err != nil {
		return Listing{}, err
	}
	return o.listing(rows, o.Outside, false), nil
}

// noteStore says what is unsafe about the store, which keeps nobody from looking.
func (p *Project) noteStore() {
	if err := p.store.Check(p.store.Dir()); err != nil {
		note(p.Stderr, "%s", err)
	}
}

// rowsOf are the project's rows with all that the columns show. Those in other states
// than the ones kept are only counted.
func (p *Project) rowsOf(ctx context.Context, o ListOptions) ([]*listRow, error) {
	standings, list, err := p.standings(ctx)
	if err != nil {
		return nil, err
	}
	if o.Outside {
		standings = append(standings, p.outside(list, standings)...)
		byName(standings)
	}
	l := p.newLook(o, standings)
	return l.rows, l.fill(ctx)
}

// listing makes the answer of the rows.
func (o ListOptions) listing(rows []*listRow, outside, all bool) Listing {
	out := Listing{Columns: o.Columns, Counts: count(rows, outside, all)}
	for _, r := range rows {
		if !o.keeps(r.state) {
			continue
		}
		cells := make([]any, len(o.Columns))
		for i, column := range o.Columns {
			cells[i] = r.cell(column)
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// keeps tells whether rows in the state are printed.
func (o ListOptions) keeps(s State) bool {
	return len(o.States) == 0 || slices.Contains(o.States, string(s))
}

// asks tells whether any of the columns is printed.
func (o ListOptions) asks(columns ...string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(o.Columns, c) })
}

// survey is how each worktree of the project stands, by name.
func (p *Project) survey(ctx context.Context) ([]standing, error) {
	standings, _, err := p.standings(ctx)
	return standings, err
}

// standings is survey with git's own list, which it has to ask for anyway.
func (p *Project) standings(ctx context.Context) ([]standing, []git.Worktree, error) {
	names, err := p.names()
	if err != nil {
		return nil, nil, err
	}
	// git reads its own files while we read ours.
	looked := make(chan []standing, 1)
	go func() {
		standings := make([]standing, len(names))
		for i, name := range names {
			standings[i] = p.look(name)
		}
		looked <- standings
	}()
	list, find, err := p.listing(ctx)
	standings := <-looked
	if err != nil {
		return nil, nil, err
	}
	// What came or went between the two readings is looked at again, in files alone.
	again := sync.OnceValues(p.admins)
	kept := standings[:0]
	for _, s := range standings {
		p.judge(&s, find)
		if s.state == Unlisted || s.state == Orphaned || s.state == Unmanaged {
			if now, err := again(); err == nil {
				s = p.lookAgain(s, now)
			}
		}
		if s.state == absent {
			continue // it went away since its name was read
		}
		if s.state == Corrupt {
			note(p.Stderr, "%s", s.err)
		}
		kept = append(kept, p.asItWas(s))
	}
	return kept, list, nil
}

// lookAgain judges a worktree once more; git's own record of it stays where that says
// nothing else.
func (p *Project) lookAgain(s standing, find lister) standing {
	again := p.stand(s.name, find)
	if again.state == s.state && again.why == s.why {
		return s
	}
	return again
}

// count counts the rows by state: the states that always are, then those that only some
// options show, then files that cannot be read where there are any.
func count(rows []*listRow, outside, all bool) []Count {
	n := map[State]int{}
	for _, r := range rows {
		n[r.state]++
	}
	states := slices.Clone(counted)
	if outside {
		states = append(states, Outside)
	}
	if all {
		states = append(states, Lost, Foreign)
	}
	if n[Corrupt] > 0 {
		states = append(states, Corrupt)
	}
	counts := make([]Count, len(states))
	for i, s := range states {
		counts[i] = Count{State: string(s), N: n[s]}
	}
	return counts
}
