package settle

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
)

// fetchRefs is where each process fetches to, below its own id.
const fetchRefs = "refs/agent-worktree/fetch/"

// Close deletes the refs that this Judge fetched into. It does what it can: ClearDead
// takes what is left, after the process.
func (j *Judge) Close(ctx context.Context) {
	var changes []git.Change
	for remote, r := range j.readings() {
		if r.fetched {
			changes = append(changes, git.Change{Ref: git.Fetched(remote), Any: true})
		}
	}
	if len(changes) > 0 {
		_ = j.repo.Update(ctx, "agent-worktree: fetched ref dropped", false, changes...)
	}
}

// readings are what the remotes that were asked said, by name. It waits for those
// being asked.
func (j *Judge) readings() map[string]reading {
	j.mu.Lock()
	asked := make(map[string]func() (reading, error), len(j.reads))
	for remote, once := range j.reads {
		asked[remote] = once
	}
	j.mu.Unlock()
	all := map[string]reading{}
	for remote, once := range asked {
		if r, err := once(); err == nil {
			all[remote] = r
		}
	}
	return all
}

// ClearDead deletes the refs that processes fetched into which are gone, as killed ones
// leave them.
func ClearDead(ctx context.Context, repo *git.Repo) error {
	refs, err := repo.Refs(ctx, fetchRefs)
	if err != nil {
		return err
	}
	var changes []git.Change
	for ref := range refs {
		pid, _, _ := strings.Cut(strings.TrimPrefix(ref, fetchRefs), "/")
		if n, err := strconv.Atoi(pid); err != nil || !alive(n) {
			changes = append(changes, git.Change{Ref: ref, Any: true})
		}
	}
	clearDeadLocks(repo.Common)
	if len(changes) == 0 {
		return nil
	}
	return repo.Update(ctx, "agent-worktree: fetched ref dropped", false, changes...)
}

// clearDeadLocks removes the locks of such refs, as a killed git leaves them.
func clearDeadLocks(common string) {
	locks, _ := filepath.Glob(filepath.Join(common, filepath.FromSlash(fetchRefs), "*", "*.lock"))
	for _, lock := range locks {
		if n, err := strconv.Atoi(filepath.Base(filepath.Dir(lock))); err != nil || !alive(n) {
			fault.Remove(lock)
		}
	}
}
