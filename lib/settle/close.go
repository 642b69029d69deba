package settle

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
)

// fetchRefs is where each process fetches to, below its own id.
const fetchRefs = "refs/agent-worktree/fetch/"

// Close stops what was asked ahead and deletes the refs that this Judge fetched into. It
// does what it can: ClearDead takes what is left, after the process.
func (j *Judge) Close(ctx context.Context) {
	j.mu.Lock()
	stops, asked := j.stops, slices.Collect(maps.Keys(j.reads))
	j.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
	said := j.readings()
	var refs []string
	for _, remote := range asked {
		ref := git.Fetched(remote)
		// A fetch that was stopped may have got as far as the ref.
		if _, err := os.Lstat(filepath.Join(j.repo.Common, filepath.FromSlash(ref))); err == nil || said[remote].fetched {
			refs = append(refs, ref)
		}
	}
	_ = dropFetched(ctx, j.repo, refs)
}

// dropFetched deletes refs of ours that processes fetched into. One that is a file of its
// own is deleted as that: git would lock the packed refs for it, and one that is killed
// then leaves that lock to everybody.
func dropFetched(ctx context.Context, repo *git.Repo, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	packed, err := os.ReadFile(filepath.Join(repo.Common, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var changes []git.Change
	for _, ref := range refs {
		loose := filepath.Join(repo.Common, filepath.FromSlash(ref))
		if strings.Contains(string(packed), " "+ref+"\n") || fault.Remove(loose) != nil {
			changes = append(changes, git.Change{Ref: ref, Any: true})
		}
		os.Remove(filepath.Dir(loose))
	}
	if len(changes) == 0 {
		return nil
	}
	return repo.Update(ctx, "agent-worktree: fetched ref dropped", false, changes...)
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
	var dead []string
	for ref := range refs {
		pid, _, _ := strings.Cut(strings.TrimPrefix(ref, fetchRefs), "/")
		if n, err := strconv.Atoi(pid); err != nil || !alive(n) {
			dead = append(dead, ref)
		}
	}
	clearDeadLocks(repo.Common)
	return dropFetched(ctx, repo, dead)
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
