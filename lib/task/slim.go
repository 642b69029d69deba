package task

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/store"
)

// A trash entry is slimmed of what can be had again: caches, and files that the recorded
// commit has byte for byte. What goes is written to the record before it is deleted.

// How much a tree must hold for slimming to be worth a process of its own.
const (
	worthFiles = 200
	worthBytes = 1 << 20
)

// slimLimit is how long slimming may keep a caller that cannot start a process for it.
const slimLimit = 2 * time.Second

// worthSlimming looks at the first few hundred files of a tree.
func worthSlimming(tree string) bool {
	files, size, worth := 0, int64(0), false
	filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() && path != tree && likelyCache(path, d.Name()) {
			worth = true
		} else if info, err := d.Info(); err == nil && !d.IsDir() {
			files++
			size += info.Size()
		}
		if worth = worth || files > worthFiles || size > worthBytes; worth {
			return fs.SkipAll
		}
		return nil
	})
	return worth
}

// slimAfter has the trash slimmed once the removals are done with, where one of them
// left something that is worth it. Their caller does not wait for that.
func (p *Project) slimAfter(removals []*removal) {
	for _, r := range removals {
		if r != nil && r.wanted {
			p.slimLater()
			return
		}
	}
}

// slimLater starts a process that slims what waits for it, and tells whether it could.
func (p *Project) slimLater() bool { return p.Later != nil && p.Later(p.Primary) == nil }

// Slim slims all entries of a project that wait for it. It is what a tool started by
// World.Later does.
func Slim(ctx context.Context, w World, primary string) error {
	w.Dir = primary
	p, err := Open(ctx, w)
	if err != nil {
		return err
	}
	return p.slimAll(ctx)
}

// slimAll slims every entry that waits for it. One that fails is left for another time.
func (p *Project) slimAll(ctx context.Context) error {
	if err := p.store.Check(p.store.Trash()); err != nil {
		return err
	}
	entries, err := p.store.Entries()
	if err != nil {
		return err
	}
	config, err := p.repo.Config(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.slim(ctx, e, config["agent-worktree.cache"])
	}
	return nil
}

// slim slims one entry, unless another process has it or somebody still works in it.
func (p *Project) slim(ctx context.Context, e store.Entry, globs []string) error {
	record, err := e.Read()
	if err != nil || !record.Wanted {
		return err
	}
	unlock, free, err := e.TryLock()
	if err != nil || !free {
		return err
	}
	defer unlock()
	if record, err = e.Read(); err != nil || !record.Wanted || record.State != store.Removed || record.Discard || !p.owns(record) {
		return err
	}
	if len(guard.Processes(e.Tree())) > 0 || openInside(e.Tree()) {
		return nil
	}
	s := &slimmer{Project: p, tree: e.Tree(), record: record, globs: globs}
	if err := s.judge(ctx, filepath.Join(e.Git(), "index")); err != nil {
		return err
	}
	if err := e.Write(s.record); err != nil {
		return err
	}
	s.drop()
	s.record.Wanted, s.record.Bytes = false, bytesIn(e.Dir)
	return e.Write(s.record)
}

// A slimmer is one entry being slimmed.
type slimmer struct {
	*Project
	tree   string
	record store.Record
	globs  []string // agent-worktree.cache
	index  []git.Indexed
	clean  []cleanFile
	caches []string
}

// judge decides what to drop and adds it to the record. A run before this one may have
// been killed while it dropped what the record tells already.
func (s *slimmer) judge(ctx context.Context, index string) (err error) {
	if s.index, err = s.repo.SavedIndex(ctx, index); err != nil {
		return err
	}
	if err := s.judgeCaches(ctx); err != nil {
		return err
	}
	if s.record.Head == "" {
		return nil
	}
	files, err := s.repo.TreeFiles(ctx, s.record.Head, false)
	if err != nil {
		return err
	}
	if err := s.judgeFiles(ctx, files); err != nil {
		return err
	}
	whole, dropped := make([]string, len(files)), []string{}
	before := store.Within(s.record.Dropped)
	now := map[string]bool{}
	for _, f := range s.clean {
		now[f.Path] = true
	}
	for i, f := range files {
		whole[i] = f.Path
		if now[f.Path] || before(f.Path) {
			dropped = append(dropped, f.Path)
		}
	}
	s.record.Dropped = store.Compact(dropped, whole)
	return nil
}

// drop deletes what the record tells. What cannot be deleted, or changed since it was
// looked at, stays: a restore takes it before it writes what is missing.
func (s *slimmer) drop() {
	for _, dir := range s.caches {
		store.Delete(filepath.Join(s.tree, dir))
	}
	emptied := map[string]bool{}
	for _, f := range s.clean {
		path := filepath.Join(s.tree, f.Path)
		if info, err := os.Lstat(path); err == nil && store.Unchanged(f.info, info) && fault.Remove(path) == nil {
			emptied[filepath.Dir(path)] = true
		}
	}
	for dir := range emptied {
		s.dropEmpty(dir)
	}
	left, err := os.ReadDir(s.tree)
	if err == nil && len(s.record.Dropped) > 0 && len(left) == 1 && left[0].Name() == ".git" && !left[0].IsDir() {
		fault.Remove(filepath.Join(s.tree, ".git"))
		fault.Remove(s.tree)
	}
}

// dropEmpty removes a directory that is empty now, and those above it that are then.
func (s *slimmer) dropEmpty(dir string) {
	for ; dir != s.tree; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil || info.Mode().Perm() != s.record.Modes.Dir || fault.Remove(dir) != nil {
			return
		}
	}
}

// dropCaches finishes a slimming that was killed: the record says that the caches are
// gone, and half of one is worse than none. It tells what does not come back.
func (j *job) dropCaches(entry store.Entry, record store.Record) error {
	files := 0
	var paths []string
	for _, c := range record.Caches {
		if err := store.Delete(filepath.Join(entry.Tree(), c.Path)); err != nil {
			return err
		}
		files += c.Files
		paths = append(paths, c.Path)
	}
	if files > 0 {
		slices.Sort(paths)
		note(j.out, "%s in caches dropped to save space, not to come back: %s", plural(files, "file"), fewer(paths))
	}
	return nil
}

// fewer is the first few of a list, in a note.
func fewer(list []string) string {
	const most = 5
	text := ""
	for i, item := range list {
		if i == most {
			return fmt.Sprintf("%s and %d more", text, len(list)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += item
	}
	return text
}

// bytesIn is the bytes in the files below dir.
func bytesIn(dir string) int64 {
	var size int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}
