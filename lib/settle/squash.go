package settle

import (
	"context"
	"errors"
	"slices"
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
	recent map[string][]string // commits of into beyond the oldest base, once they are read
	bases  map[string]string   // merge bases, by tip
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
	oldest, err := s.oldest(ctx)
	if err != nil {
		return nil, err
	}
	commits, err := s.repo.Touching(ctx, s.into, oldest, onePathEach(wholes))
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	return s.compare(ctx, wholes, commits, oldest)
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

// oldest is a commit that all the bases reach, which bounds the search; "" for none.
func (s *search) oldest(ctx context.Context) (string, error) {
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

// onePathEach is one path of each change: the commit that carries a change touches
// them all. None at all when a change has no path that fits on a line.
func onePathEach(changes map[string][]string) []string {
	var paths []string
	for _, list := range changes {
		i := slices.IndexFunc(list, func(p string) bool { return !strings.ContainsAny(p, "\n\r") })
		if i < 0 {
			return nil
		}
		paths = append(paths, list[i])
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// compare asks for the content of those changes and commits only that touch the same
// paths.
func (s *search) compare(ctx context.Context, wholes map[string][]string, commits []string, oldest string) (map[string]string, error) {
	steps := make([]git.Step, len(commits))
	for i, c := range commits {
		steps[i].Commit = c
	}
	paths, err := s.repo.Paths(ctx, steps)
	if err != nil {
		return nil, err
	}
	alike := map[string][]string{} // tip to the commits that may carry its change
	asked := map[string]git.Step{}
	for tip, list := range wholes {
		for _, c := range commits {
			if slices.Equal(list, paths[c]) {
				alike[tip] = append(alike[tip], c)
				asked[c], asked[tip] = git.Step{Commit: c}, git.Step{Commit: tip, From: s.bases[tip]}
			}
		}
	}
	steps = steps[:0]
	for _, step := range asked {
		steps = append(steps, step)
	}
	ids, err := s.repo.PatchIDs(ctx, steps)
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, alike, ids, oldest)
}

// hits are the commits of the same content that lie between the tip's own base and
// into: the search began at the oldest base of all.
func (s *search) hits(ctx context.Context, alike map[string][]string, ids map[string]string, oldest string) (map[string]string, error) {
	hits := map[string]string{}
	for tip, commits := range alike {
		for _, c := range commits {
			if ids[tip] == "" || ids[c] != ids[tip] {
				continue
			}
			before, err := s.before(ctx, tip, oldest)
			if err != nil {
				return nil, err
			}
			if !before[c] {
				hits[tip] = c
				break
			}
		}
	}
	return hits, nil
}

// before are the commits beyond oldest that the tip's own base reaches, so that they
// came before its change began. The history is read once, and only for a tip whose
// base is not the oldest.
func (s *search) before(ctx context.Context, tip, oldest string) (map[string]bool, error) {
	if s.bases[tip] == oldest {
		return nil, nil
	}
	if s.recent == nil {
		recent, err := s.repo.Beyond(ctx, []string{s.into}, oldest)
		if err != nil {
			return nil, err
		}
		s.recent = recent
	}
	return walk(s.recent, s.bases[tip], func(string) {}), nil
}
