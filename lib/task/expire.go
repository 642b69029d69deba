package task

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// keepDays is how many days a removed worktree can come back, unless keepKey says
// otherwise. Nothing goes before leastKept, whatever it says.
const (
	keepDays  = 14
	keepKey   = "agent-worktree.keepDays"
	leastKept = 24 * time.Hour
)

// keepWindow is how long a removed worktree is kept. A setting that is no whole number
// of days is refused rather than replaced.
func keepWindow(ctx context.Context, judge *settle.Judge) (time.Duration, error) {
	value, set, err := judge.Setting(ctx, strings.ToLower(keepKey))
	if err != nil || !set {
		return keepDays * 24 * time.Hour, err
	}
	n, err := strconv.Atoi(value)
	if err == nil && n >= 0 && n <= mostDays {
		return max(time.Duration(n)*24*time.Hour, leastKept), nil
	}
	return 0, &refuse.Refusal{
		Code:    refuse.InvalidConfig,
		Message: keepKey + " is \"" + refuse.Visible(value) + "\", which is no whole number of days",
		Meta:    refuse.Meta{{Key: "key", Value: keepKey}, {Key: "value", Value: value}},
		Resolve: "git config --replace-all " + keepKey + " " + strconv.Itoa(keepDays),
	}
}

// windows reads both windows, so that a bad setting refuses before anything is removed.
func (s *sweep) windows(ctx context.Context) (kept time.Duration, err error) {
	if s.window, err = s.quietWindow(ctx); err != nil {
		return 0, err
	}
	return keepWindow(ctx, s.judge)
}

// clearTrash finishes removals and restores that were killed, drops what was kept for
// long enough, tries again what could not be deleted, and has the rest slimmed.
func (p *Project) clearTrash(ctx context.Context, kept time.Duration) error {
	if !exists(p.store.Trash()) && !p.anyAnchors() {
		return nil
	}
	if err := p.store.Check(p.store.Trash()); err != nil {
		return err
	}
	for _, dir := range p.store.Retired() {
		p.noteLeft(dir, store.Delete(dir))
	}
	entries, err := p.store.Entries()
	if err != nil {
		return err
	}
	now, wanted := time.Now(), false
	there := map[string]bool{}
	for _, e := range entries {
		record, err := e.Read()
		switch {
		case err == nil && p.owns(record) && record.State != store.Removed:
			if err := p.recoverName(ctx, e.Name); err != nil {
				note(p.Stderr, "what a killed command left of worktree %s cannot be finished: %s", e.Name, err)
			}
		case err == nil && p.expired(e, record, now, kept), err != nil && outlived(e.When(), now, kept):
			p.expire(e)
		case err == nil:
			wanted = wanted || record.Wanted
		}
		there[anchorPlace(e)] = exists(e.Dir)
	}
	p.clearDrafts(now)
	if wanted && !p.slimLater() {
		short, cancel := context.WithTimeout(ctx, slimLimit)
		p.slimAll(short)
		cancel()
	}
	return p.clearAnchors(ctx, there, now, kept)
}

// recoverName goes on with what a killed command left of the name, unless a live one has it.
func (p *Project) recoverName(ctx context.Context, name string) error {
	lock, err := p.ledger.TryWorktree(name)
	if err != nil || lock == nil {
		return err
	}
	j := &job{Project: p, name: name, out: p.Stderr, lock: lock}
	defer j.end()
	return j.recover(ctx)
}

// outlived tells whether something of that time was kept for long enough. A time to come
// is taken for now.
func outlived(made, now time.Time, kept time.Duration) bool { return now.Sub(made) >= kept }

// expired tells whether an entry is to go: it is old enough, or was to be discarded. One
// of another clone with the same key goes only when that clone is no more.
func (p *Project) expired(e store.Entry, record store.Record, now time.Time, kept time.Duration) bool {
	if !p.owns(record) && exists(filepath.Join(record.Primary, ".git")) {
		return false
	}
	return record.Discard || outlived(e.When(), now, kept)
}

// expire deletes an entry, unless another process has it.
func (p *Project) expire(e store.Entry) {
	unlock, free, err := e.TryLock()
	if err != nil || !free {
		return
	}
	defer unlock()
	p.noteLeft(e.Dir, e.Discard())
}

// noteLeft names what could not be deleted.
func (p *Project) noteLeft(dir string, err error) {
	if err != nil {
		note(p.Stderr, "%s could not be deleted, and is tried again by the next prune: %s", dir, err)
	}
}

// clearDrafts deletes the archives that a killed command had begun. An archive itself is
// never deleted.
func (p *Project) clearDrafts(now time.Time) {
	dirs, _ := os.ReadDir(p.store.Kept())
	for _, d := range dirs {
		info, err := d.Info()
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && outlived(info.ModTime(), now, leastKept) {
			dir := filepath.Join(p.store.Kept(), d.Name())
			p.noteLeft(dir, store.Delete(dir))
		}
	}
}

// anyAnchors looks for anchors in git's files, in no process: nearly always there are none.
func (p *Project) anyAnchors() bool {
	dir := filepath.Join(p.Common, filepath.FromSlash(strings.TrimSuffix(anchorRoot, "/")))
	found := false
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	if found {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(p.Common, "packed-refs"))
	return err == nil && strings.Contains(string(packed), " "+anchorRoot)
}

// clearAnchors drops the anchors that were kept for long enough and whose entry is gone.
func (p *Project) clearAnchors(ctx context.Context, there map[string]bool, now time.Time, kept time.Duration) error {
	if !p.anyAnchors() {
		return nil
	}
	refs, err := p.repo.Refs(ctx, strings.TrimSuffix(anchorRoot, "/"))
	if err != nil {
		return err
	}
	var changes []git.Change
	for ref, id := range refs {
		place, when, ok := anchorTime(ref)
		if ok && !there[place] && outlived(when, now, kept) {
			changes = append(changes, git.Change{Ref: ref, Old: id})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return p.repo.Update(ctx, "agent-worktree: expired", false, changes...)
}

// anchorTime is the place an anchor stands at, with a slash at its end, and the time in it.
func anchorTime(ref string) (place string, when time.Time, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(ref, anchorRoot), "/", 3)
	if len(parts) < 3 {
		return "", when, false
	}
	when, ok = store.Time(parts[1])
	return anchorRoot + parts[0] + "/" + parts[1] + "/", when, ok
}
