package task

import (
	"context"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/store"
)

// dropCopy drops what a copied clone has of the original's worktree: its ledger entry
// and git's admin directory. The directory, its claims and its teardown are the
// original's.
func (s *sweep) dropCopy(ctx context.Context, j *job) error {
	lock, err := s.ledger.TryWorktree(j.name)
	if err != nil || lock == nil {
		return err
	}
	j.lock = lock
	defer j.end()
	entry, err := s.ledger.Read(j.name)
	if err != nil || entry == nil || !s.isCopyOf(entry) {
		return err
	}
	admin, listed, err := git.AdminOf(s.Common, entry.Path)
	if err != nil {
		return err
	}
	if listed {
		repository, err := s.ledger.Repository(ctx)
		if err != nil {
			return err
		}
		err = fault.RemoveAll(admin.Dir)
		repository.Unlock()
		if err != nil {
			return err
		}
	}
	return s.ledger.Remove(j.name)
}

// isCopyOf tells whether this clone is another directory than the one the entry names,
// and not the same by another path.
func (p *Project) isCopyOf(e *ledger.Entry) bool {
	theirs, ok := store.Identify(filepath.Join(e.Primary, ".git"))
	mine, also := store.Identify(p.Common)
	return p.foreignPrimary(e) && ok && also && theirs != mine
}

// dropStray drops git's entry for a worktree that stood in the store and is neither
// there nor registered; its commits and what was staged are anchored first. It is false
// when it is not like that any more.
func (s *sweep) dropStray(ctx context.Context, j *job, path string) (bool, error) {
	lock, err := s.ledger.TryWorktree(j.name)
	if err != nil || lock == nil {
		return false, err
	}
	j.lock = lock
	defer j.end()
	entry, err := s.ledger.Read(j.name)
	if err != nil || entry != nil || exists(path) {
		return false, err
	}
	admin, listed, err := git.AdminOf(s.Common, path)
	if err != nil || !listed {
		return false, err
	}
	r := &removal{job: j, path: path, verb: "prune", admin: admin}
	if r.tip, r.branch, err = r.headOfGone(ctx); err != nil {
		return false, err
	}
	if err := r.buryGone(ctx, true); err != nil {
		return false, err
	}
	note(j.out, "git's entry for %s, which is gone and not registered, is dropped", path)
	return true, nil
}
