package settle

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// squashes marks those of the open tips whose whole change, since the merge base, is
// the change of one commit of into since that base. graph holds the commits that the
// tips have beyond into. A failure, as of a partial clone's fetch, leaves them unmerged.
func (j *Judge) squashes(ctx context.Context, into string, graph map[string][]string, open []string, found map[string]landing) error {
	if len(open) == 0 {
		return nil
	}
	s := &search{repo: j.repo, into: into, graph: graph}
	hits, err := s.run(ctx, open)
	for _, tip := range open {
		var failed *git.Error
		if errors.As(err, &failed) {
			found[tip] = landing{why: failed.Detail()}
		} else if hits[tip] != "" {
			found[tip] = landing{how: SquashMerged, match: hits[tip]}
		}
	}
	return unlessGit(err)
}

// A search looks for squashes of several tips at once, in a number of git calls that
// does not depend on how many tips there are.
type search struct {
	repo   *git.Repo
	into   string
	graph  map[string][]string // commits beyond into, with their parents
	bases  map[string]string   // merge bases, by tip
	oldest string              // a commit that all of them reach, or ""
	recent map[string][]string // commits of into beyond that, with their parents
}

// run gives, by tip, the commit that carries the tip's whole change.
func (s *search) run(ctx context.Context, tips []string) (map[string]string, error) {
	steps, err := s.wholes(ctx, tips)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	wholes, err := s.repo.Paths(ctx, steps)
	if err != nil || len(wholes) == 0 {
		return nil, err
	}
	if s.oldest, err = s.commonBase(ctx); err != nil {
		return nil, err
	}
	if s.recent, err = s.repo.Beyond(ctx, []string{s.into}, s.oldest); err != nil {
		return nil, err
	}
	alike, err := s.alike(ctx, wholes)
	if err != nil || len(alike) == 0 {
		return nil, err
	}
	return s.hits(ctx, alike)
}

// wholes are the steps from each tip's merge base to the tip; a tip with none is left
// out.
func (s *search) wholes(ctx context.Context, tips []string) ([]git.Step, error) {
	s.bases = map[string]string{}
	var steps []git.Step
	for _, tip := range tips {
		if _, done := s.bases[tip]; done {
			continue
		}
		base, err := s.base(ctx, tip)
		if err != nil {
			return nil, err
		}
		s.bases[tip] = base
		if base != "" {
			steps = append(steps, git.Step{Commit: tip, From: base})
		}
	}
	return steps, nil
}

// base is the merge base of the tip and into. Where the tip's own commits leave the
// graph through one commit, that is it, since every common ancestor lies behind it.
func (s *search) base(ctx context.Context, tip string) (string, error) {
	exits := map[string]bool{}
	walk(s.graph, tip, func(id string) { exits[id] = true })
	switch len(exits) {
	case 0:
		return "", nil
	case 1:
		for id := range exits {
			return id, nil
		}
	}
	return s.repo.PlainBase(ctx, tip, s.into)
}

// walk goes through the part of graph that from reaches, and calls out for each parent
// outside it. It gives what it went through.
func walk(graph map[string][]string, from string, out func(id string)) map[string]bool {
	seen := map[string]bool{}
	todo := []string{from}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[id] {
			continue
		}
		parents, inside := graph[id]
		if !inside {
			out(id)
			continue
		}
		seen[id] = true
		todo = append(todo, parents...)
	}
	return seen
}

// commonBase is a commit that all the bases reach, which bounds the search; "" for none.
func (s *search) commonBase(ctx context.Context) (string, error) {
	var ids []string
	for _, base := range s.bases {
		if base != "" && !slices.Contains(ids, base) {
			ids = append(ids, base)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	slices.Sort(ids)
	return s.repo.CommonBase(ctx, ids...)
}

// alike are, by tip, the commits that touch the same paths as the tip's whole change:
// the content of no other needs to be read. A merge carries no change of its own.
func (s *search) alike(ctx context.Context, wholes map[string][]string) (map[string][]string, error) {
	var steps []git.Step
	for id, parents := range s.recent {
		if len(parents) < 2 {
			steps = append(steps, git.Step{Commit: id})
		}
	}
	sort.Slice(steps, func(i, j int) bool { return steps[i].Commit < steps[j].Commit })
	paths, err := s.repo.Paths(ctx, steps)
	if err != nil {
		return nil, err
	}
	commits := map[string][]string{} // by their paths
	for _, step := range steps {
		key := strings.Join(paths[step.Commit], "\x00")
		commits[key] = append(commits[key], step.Commit)
	}
	alike := map[string][]string{}
	for tip, list := range wholes {
		if some := commits[strings.Join(list, "\x00")]; len(some) > 0 {
			alike[tip] = some
		}
	}
	return alike, nil
}

// hits are the commits of the same content that lie between the tip's own base and
// into: the search began at the oldest base of all.
func (s *search) hits(ctx context.Context, alike map[string][]string) (map[string]string, error) {
	asked := map[string]git.Step{}
	for tip, commits := range alike {
		asked[tip] = git.Step{Commit: tip, From: s.bases[tip]}
		for _, c := range commits {
			asked[c] = git.Step{Commit: c}
		}
	}
	ids, err := s.repo.PatchIDs(ctx, slices.Collect(maps.Values(asked)))
	if err != nil {
		return nil, err
	}
	hits := map[string]string{}
	for tip, commits := range alike {
		// What the tip's own base reaches came before its change began.
		before := walk(s.recent, s.bases[tip], func(string) {})
		i := slices.IndexFunc(commits, func(c string) bool { return ids[c] == ids[tip] && !before[c] })
		if i >= 0 && ids[tip] != "" {
			hits[tip] = commits[i]
		}
	}
	return hits, nil
}
