package settle

import (
	"context"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// contents looks for the content of branches in a default branch, commit by commit and
// as one change, in a number of git calls that does not depend on how many branches
// there are.
type contents struct {
	repo   *git.Repo
	into   string
	graph  map[string][]string // commits beyond into, with their parents
	bases  map[string]string   // merge bases, by tip; "" for none or no single one
	recent map[string][]string // commits of into that not all bases reach, with their parents
	same   map[string][]string // those that are no merges, by the paths they change
}

// judge gives the word for each of the tips that landed by content.
func (c *contents) judge(ctx context.Context, tips []string) (map[string]string, error) {
	by := map[string]string{}
	if len(tips) == 0 {
		return by, nil
	}
	if err := c.findBases(ctx, tips); err != nil {
		return nil, err
	}
	if err := c.rebased(ctx, tips, by); err != nil {
		return nil, err
	}
	return by, c.squashed(ctx, tips, by)
}

// findBases finds the merge base of each tip. Where a branch leaves the graph through
// one commit, that is it. One that merged the default branch leaves through several, of
// which the base is the one that reaches the others.
func (c *contents) findBases(ctx context.Context, tips []string) (err error) {
	c.bases = map[string]string{}
	exits := map[string][]string{}
	var all []string
	for _, tip := range tips {
		seen := map[string]bool{}
		walk(c.graph, tip, func(id string) { seen[id] = true })
		for id := range seen {
			exits[tip] = append(exits[tip], id)
			all = append(all, id)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return nil
	}
	oldest := all[0]
	if len(all) > 1 {
		if oldest, err = c.repo.CommonBase(ctx, all...); err != nil {
			return err
		}
	}
	if c.recent, err = c.repo.Beyond(ctx, []string{c.into}, oldest); err != nil {
		return err
	}
	for _, tip := range tips {
		c.bases[tip] = c.best(exits[tip])
	}
	return nil
}

// best is the one of the commits that reaches all others, "" when there is none.
func (c *contents) best(exits []string) string {
	for _, id := range exits {
		reached := walk(c.recent, id, func(string) {})
		// What is not in the graph is reached by all that are.
		beside := func(other string) bool {
			_, inside := c.recent[other]
			return inside && !reached[other]
		}
		if !slices.ContainsFunc(exits, beside) {
			return id
		}
	}
	return ""
}

// rebased marks the tips all of whose commits are in the default branch by content. A
// merge has content that this cannot compare, and keeps the branch.
func (c *contents) rebased(ctx context.Context, tips []string, by map[string]string) error {
	own := map[string][]string{}
	var steps []git.Step
	for _, tip := range tips {
		commits := c.line(tip)
		if c.bases[tip] == "" || commits == nil {
			continue
		}
		own[tip] = commits
		for _, id := range commits {
			steps = append(steps, git.Step{Commit: id})
		}
	}
	hits, err := c.carriers(ctx, steps)
	for tip, commits := range own {
		before := walk(c.recent, c.bases[tip], func(string) {})
		missing := func(id string) bool { return !since(before, hits[id]) }
		if !slices.ContainsFunc(commits, missing) {
			by[tip] = Rebased
		}
	}
	return err
}

// line are the commits that the tip has beyond the default branch, nil when one of them
// is a merge.
func (c *contents) line(tip string) []string {
	var commits []string
	for id := range walk(c.graph, tip, func(string) {}) {
		if len(c.graph[id]) != 1 {
			return nil
		}
		commits = append(commits, id)
	}
	return commits
}

// squashed marks the tips whose whole change is the change of one commit. One commit
// alone was compared before.
func (c *contents) squashed(ctx context.Context, tips []string, by map[string]string) error {
	var steps []git.Step
	for _, tip := range tips {
		if by[tip] == "" && c.bases[tip] != "" && len(c.line(tip)) != 1 {
			steps = append(steps, git.Step{Commit: tip, From: c.bases[tip]})
		}
	}
	hits, err := c.carriers(ctx, steps)
	for tip, found := range hits {
		if since(walk(c.recent, c.bases[tip], func(string) {}), found) {
			by[tip] = SquashMerged
		}
	}
	return err
}

// since tells whether one of the commits is not among those that a branch's own base
// reaches already: the search began at the oldest base of all.
func since(before map[string]bool, commits []string) bool {
	return slices.ContainsFunc(commits, func(id string) bool { return !before[id] })
}

// carriers are the commits of the default branch that carry exactly the change of each
// step, by the step's commit. Content is asked only of changes to the same paths.
func (c *contents) carriers(ctx context.Context, steps []git.Step) (map[string][]string, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	if err := c.readSame(ctx); err != nil {
		return nil, err
	}
	changes, err := c.repo.Paths(ctx, steps)
	if err != nil {
		return nil, err
	}
	asked := map[string]git.Step{}
	for _, s := range steps {
		if len(changes[s.Commit]) == 0 {
			continue
		}
		for _, id := range c.same[key(changes[s.Commit])] {
			asked[id], asked[s.Commit] = git.Step{Commit: id}, s
		}
	}
	list := make([]git.Step, 0, len(asked))
	for _, s := range asked {
		list = append(list, s)
	}
	ids, err := c.repo.PatchIDs(ctx, list)
	hits := map[string][]string{}
	for _, s := range steps {
		for _, id := range c.same[key(changes[s.Commit])] {
			if ids[id] != "" && ids[id] == ids[s.Commit] {
				hits[s.Commit] = append(hits[s.Commit], id)
			}
		}
	}
	return hits, err
}

// readSame reads which paths the recent commits change, once.
func (c *contents) readSame(ctx context.Context) error {
	if c.same != nil {
		return nil
	}
	var steps []git.Step
	for id, parents := range c.recent {
		if len(parents) < 2 {
			steps = append(steps, git.Step{Commit: id})
		}
	}
	paths, err := c.repo.Paths(ctx, steps)
	c.same = map[string][]string{}
	for id, list := range paths {
		c.same[key(list)] = append(c.same[key(list)], id)
	}
	return err
}

// key is a list of paths as one string.
func key(paths []string) string { return strings.Join(paths, "\x00") }
