package task

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/store"
)

// A git that is killed leaves lock files, which keep every later git out until somebody
// deletes them by hand, and admin directories that lead nowhere, which git neither lists
// nor removes. A live git has either for moments only.
const (
	lingering = time.Second     // after which a ref's lock or a nameless directory is nobody's
	heldLong  = 3 * time.Second // the same for what is locked for the whole clone
)

// clearLocks removes the locks that a killed git of ours may have left since then, of refs
// and of the clone as a whole. It is called where a step of ours was cut short.
func (p *Project) clearLocks(ctx context.Context, since time.Time) {
	filepath.WalkDir(filepath.Join(p.Common, "refs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			clearLock(ctx, path, since, lingering)
		}
		return nil
	})
	clearLock(ctx, filepath.Join(p.Common, "packed-refs.lock"), since, heldLong)
	p.clearConfigLock(ctx, since)
}

func (p *Project) clearConfigLock(ctx context.Context, since time.Time) {
	clearLock(ctx, filepath.Join(p.Common, "config.lock"), since, heldLong)
}

// gitKilled clears what a git of ours left that was killed while we live: locks, those of
// the worktree it ran in too.
func (p *Project) gitKilled(ctx context.Context, dir string, since time.Time) {
	p.clearLocks(ctx, since)
	if link := git.Link(dir); filepath.Dir(link) == filepath.Join(p.Common, "worktrees") {
		clearLocksIn(ctx, link, since)
	}
}

func clearLocksIn(ctx context.Context, admin string, since time.Time) {
	locks, _ := filepath.Glob(filepath.Join(admin, "*.lock"))
	for _, lock := range locks {
		clearLock(ctx, lock, since, lingering)
	}
}

// clearIdle removes what a killed git left locked in a worktree that is being set up
// again, unless a process is inside, which may be a git that has it in use.
func (j *job) clearIdle(ctx context.Context) {
	link := git.Link(j.store.Path(j.name))
	if locks, _ := filepath.Glob(filepath.Join(link, "*.lock")); link == "" || len(locks) == 0 {
		return
	}
	if len(guard.Processes(j.store.Path(j.name))) == 0 && runtime.GOOS == "linux" {
		clearLocksIn(ctx, link, time.Time{})
	}
}

// clearLock removes one lock file made since then, once it is that old and still the same.
func clearLock(ctx context.Context, path string, since time.Time, age time.Duration) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since.Add(-time.Second)) {
		return
	}
	if !outlives(ctx, info, age) {
		return
	}
	now, err := os.Lstat(path)
	if err == nil && os.SameFile(info, now) && now.ModTime().Equal(info.ModTime()) {
		fault.Remove(path)
	}
}

// outlives waits until the file is that old; false when ctx ended first.
func outlives(ctx context.Context, info fs.FileInfo, age time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(age - time.Since(info.ModTime())):
		return true
	}
}

// clearAnchorLocks removes the locks of anchors of this name, which none but the holder
// of its lock makes.
func (j *job) clearAnchorLocks() {
	found, _ := filepath.Glob(filepath.Join(j.Common, filepath.FromSlash(anchorRoot), j.name, "*", "*.lock"))
	for _, path := range found {
		fault.Remove(path)
	}
}

// nameless tells whether a killed git had begun this admin directory for the name: git
// calls it after the path's last part, and it leads nowhere and has no lock's reason yet.
func (j *job) nameless(ctx context.Context, a git.Admin) bool {
	rest, ok := strings.CutPrefix(filepath.Base(a.Dir), j.name)
	reason, _ := a.LockReason()
	if !ok || strings.Trim(rest, "0123456789") != "" || a.Path != "" || reason != "" {
		return false
	}
	info, err := os.Lstat(a.Dir)
	if err != nil || !outlives(ctx, info, lingering) {
		return false
	}
	now, err := os.Lstat(a.Dir)
	return err == nil && now.ModTime().Equal(info.ModTime()) && !exists(filepath.Join(a.Dir, "gitdir"))
}

// clearHalfMade removes git's entry for this worktree where git was killed before it had
// written commondir: as long as it stands, git fails on all of the clone. A git that
// outlived its command is waited for, since it holds the repository's lock.
func (j *job) clearHalfMade(ctx context.Context) error {
	lock, err := j.ledger.Repository(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	admin, listed, err := git.AdminOf(j.Common, j.store.Path(j.name))
	if err != nil || !listed || !admin.HalfMade() {
		return err
	}
	return fault.RemoveAll(admin.Dir)
}

// unstick does that for every worktree whose making or return was killed, while git
// fails. What a live process has in hand is left to it.
func (p *Project) unstick(ctx context.Context) {
	admins, err := git.Admins(p.Common)
	if err != nil {
		return
	}
	for _, a := range admins {
		name := filepath.Base(a.Path)
		reason, _ := a.LockReason()
		if !a.HalfMade() || a.Path != p.store.Path(name) || reason != makingReason(name) && reason != restoringReason(name) {
			continue
		}
		lock, err := p.ledger.TryWorktree(name)
		if err != nil || lock == nil {
			continue
		}
		j := &job{Project: p, name: name, out: p.Stderr, lock: lock}
		if err := j.clearHalfMade(ctx); err != nil {
			note(p.Stderr, "git's half-made entry %s could not be removed: %s", a.Dir, err)
		}
		j.end()
	}
}

// written is when the entry's record was last written.
func written(entry store.Entry) time.Time {
	info, err := os.Lstat(entry.File())
	if err != nil {
		return time.Now()
	}
	return info.ModTime()
}
