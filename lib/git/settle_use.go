package git

import (
	"path/filepath"
	"strings"
)

// BranchUses tells, by full branch name, the worktrees that hold a branch: those
// that have it checked out, and those in which a rebase or a bisect will come back to
// it. It reads the administrative files, since git names one worktree a branch only
// and never a paused one. A worktree is named by its path, or by its admin directory
// where that path cannot be read. What cannot be read holds nothing.
func (r *Repo) BranchUses() (map[string][]string, error) {
	admins, err := Admins(r.Common)
	if err != nil {
		return nil, err
	}
	uses := map[string][]string{}
	addUses(uses, r.Common, r.Primary)
	for _, a := range admins {
		path := a.Path
		if path == "" {
			path = a.Dir
		}
		addUses(uses, a.Dir, path)
	}
	return uses, nil
}

func addUses(uses map[string][]string, dir, path string) {
	for _, ref := range usedRefs(dir) {
		uses[ref] = append(uses[ref], path)
	}
}

// usedRefs are the branches that the worktree with this admin directory holds.
func usedRefs(dir string) []string {
	var refs []string
	if ref, ok := strings.CutPrefix(readLine(filepath.Join(dir, "HEAD")), "ref: "); ok {
		refs = append(refs, ref)
	}
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
		if ref := readLine(filepath.Join(dir, name)); strings.HasPrefix(ref, "refs/") {
			refs = append(refs, ref)
		}
	}
	if start := readLine(filepath.Join(dir, "BISECT_START")); start != "" {
		refs = append(refs, "refs/heads/"+strings.TrimPrefix(start, "refs/heads/"))
	}
	// A rebase --update-refs moves more branches than its own when it ends.
	for _, line := range strings.Split(readLine(filepath.Join(dir, "rebase-merge/update-refs")), "\n") {
		if strings.HasPrefix(line, "refs/heads/") {
			refs = append(refs, line)
		}
	}
	return refs
}
