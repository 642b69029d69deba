package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// nestedWorktree refuses a worktree that another one lies inside: it would go along,
// and its own entry would point at nothing.
func nestedWorktree(primary string, s Subject) *refuse.Refusal {
	var inside []string
	for _, other := range s.Others {
		rel := within(s.Path, other)
		if rel == "" {
			continue
		}
		// When the tree stands in the trash, so does what is inside it.
		if _, err := os.Lstat(filepath.Join(s.At, rel)); err == nil {
			inside = append(inside, filepath.Join(s.Path, rel))
		}
	}
	if len(inside) == 0 {
		return nil
	}
	slices.Sort(inside)
	return &refuse.Refusal{
		Code:    refuse.NestedWorktree,
		Message: "worktree " + s.Name + " has another worktree inside it: " + named(inside),
		Meta:    s.meta(refuse.Fact{Key: "worktrees", Value: few(inside, mostPaths)}),
		Resolve: moves(primary, inside),
	}
}

// moves are the commands that move the worktrees out: beside the primary checkout, since
// in the store they would read as unmanaged. The last goes first, since it may lie inside
// another.
func moves(primary string, inside []string) string {
	var acts, taken []string
	for _, from := range slices.Backward(inside) {
		to := refuse.Free(filepath.Join(filepath.Dir(primary), filepath.Base(from)), taken...)
		taken = append(taken, to)
		link := git.Link(from)
		if _, locked := (git.Admin{Dir: link}).LockReason(); locked && link != "" {
			acts = append(acts, "git worktree unlock "+refuse.Shell(from))
		}
		acts = append(acts, "git worktree move "+refuse.Shell(from)+" "+refuse.Shell(to))
	}
	return strings.Join(acts, " && ")
}

// within is path relative to dir when it lies inside, else "". Both are tried as they
// are written, then with their links resolved.
func within(dir, path string) string {
	if rel := below(dir, path); rel != "" {
		return rel
	}
	return below(resolved(dir), resolved(path))
}

func below(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return rel
}

// resolved is path with the links of that part of it that exists resolved.
func resolved(path string) string {
	rest := ""
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
