package task

import (
	"path/filepath"
	"sort"

	"github.com/cniska/agent-worktree/lib/git"
)

// outside are git's worktrees of this clone that are none of the standings: made by
// other tools or by hand, or left in git's list when their registration was lost.
func (p *Project) outside(list []git.Worktree, standings []standing) []standing {
	known := map[string]bool{p.Primary: true}
	for _, s := range standings {
		known[s.path] = true
		if s.entry != nil {
			known[s.entry.Path] = true // of a clone that was moved or copied since
		}
	}
	var others []standing
	for i, w := range list {
		if i == 0 || w.Bare || known[w.Path] {
			continue // git lists the primary first
		}
		others = append(others, standing{name: filepath.Base(w.Path), path: w.Path, state: Outside,
			listed: true, tree: w, there: exists(w.Path)})
	}
	return others
}

// stray tells whether the row is git's entry for a worktree that stood in the store and
// is neither there nor registered: nobody else's, and only in git's way.
func (p *Project) stray(s standing) bool {
	return s.state == Outside && !s.there && !s.tree.Locked &&
		filepath.Dir(s.path) == p.store.Dir() && exists(p.store.Dir())
}

func byName(standings []standing) {
	sort.SliceStable(standings, func(i, j int) bool { return standings[i].name < standings[j].name })
}
