package task

import (
	"context"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/store"
)

// recover finishes or undoes what a killed removal or restore of this name left. The
// worktree's lock is held, so an entry that is not at its end has no live owner.
func (j *job) recover(ctx context.Context) error {
	entries, err := j.store.EntriesOf(j.name)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := j.recoverEntry(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

// recoverAll is recover for every name of this clone that a killed command left in the
// middle; what a live process works on is left to it.
func (p *Project) recoverAll(ctx context.Context) error {
	entries, err := p.store.Entries()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		record, err := entry.Read()
		if err != nil || !p.owns(record) || record.State == store.Removed {
			continue
		}
		lock, err := p.ledger.TryWorktree(entry.Name)
		if err != nil {
			return err
		}
		if lock == nil {
			continue
		}
		j := &job{Project: p, name: entry.Name, out: p.Stderr, lock: lock}
		err = j.recover(ctx)
		j.end()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			note(p.Stderr, "what a killed command left of worktree %s in %s could not be cleared up: %s", entry.Name, entry.Dir, err)
		}
	}
	return nil
}

func (j *job) recoverEntry(ctx context.Context, entry store.Entry) error {
	record, err := entry.Read()
	switch {
	case err != nil:
		// Killed before its record was written: nothing had been moved yet.
		if !exists(entry.Tree()) && !exists(entry.Git()) {
			fault.Remove(entry.File() + ".tmp")
			fault.Remove(entry.Dir)
		}
		return nil
	case !j.owns(record):
		return nil
	case record.State == store.Restoring:
		return j.finishRestore(ctx, entry, record)
	case record.State == store.Removing:
		return j.recoverRemoval(ctx, entry, record)
	}
	return nil
}

// owns tells whether an entry is of this clone: another's may have the same key, and
// what this one's git says of its worktrees is nothing to go by then.
func (p *Project) owns(record store.Record) bool { return record.Primary == p.Primary }

// recoverRemoval undoes a removal that was killed while git's entry was whole, and
// finishes any other.
func (j *job) recoverRemoval(ctx context.Context, entry store.Entry, record store.Record) error {
	if err := j.awaitGit(ctx); err != nil {
		return err
	}
	admin, listed, err := git.AdminOf(j.Common, record.Path)
	if err != nil {
		return err
	}
	moved := exists(entry.Tree())
	switch {
	case !listed:
		return j.finishRemoval(ctx, entry, record, j.remains(record))
	case (moved || record.Gone) && !entry.SavedWhole(admin.Dir):
		return j.finishRemoval(ctx, entry, record, admin.Dir)
	case moved && exists(record.Path):
		note(j.out, "a removal of worktree %s that was interrupted is finished: %s was taken meanwhile", j.name, record.Path)
		return j.finishRemoval(ctx, entry, record, admin.Dir)
	}
	if moved {
		note(j.out, "a removal of worktree %s that was interrupted is undone", j.name)
	}
	if err := putBack(entry, entry.Tree(), record.Path, admin.Dir); err != nil {
		return err
	}
	j.clearEntry(ctx, entry, record)
	return nil
}

// awaitGit waits for a git that outlived the command that started it: it holds the
// repository's lock.
func (p *Project) awaitGit(ctx context.Context) error {
	lock, err := p.ledger.Repository(ctx)
	if err == nil {
		lock.Unlock()
	}
	return err
}

// remains is what a killed git left of the entry's admin directory, "" for nothing. One
// without gitdir leads nowhere, and one that is being made is locked.
func (p *Project) remains(record store.Record) string {
	dir := filepath.Join(p.Common, "worktrees", record.Admin)
	if record.Admin == "" || record.Admin == "." || exists(filepath.Join(dir, "gitdir")) || exists(filepath.Join(dir, "locked")) || !exists(dir) {
		return ""
	}
	return dir
}

// finishRemoval goes on with a removal that was killed while git's entry was dropped.
func (j *job) finishRemoval(ctx context.Context, entry store.Entry, record store.Record, admin string) error {
	if admin != "" {
		if err := store.MoveModules(admin, entry.Git()); err != nil {
			return err
		}
		lock, err := j.ledger.Repository(ctx)
		if err != nil {
			return err
		}
		err = fault.RemoveAll(admin)
		lock.Unlock()
		if err != nil {
			return err
		}
	}
	record.State = store.Removed
	return entry.Write(record)
}

// asItWas lists a worktree whose directory is in the trash for the moment: as it was
// while a live command is just removing it, and as pending where that was killed and the
// next command on the name brings it back.
func (p *Project) asItWas(s standing) standing {
	if s.state != Orphaned || s.why != gone {
		return s
	}
	busy, err := p.ledger.Busy(s.name)
	switch {
	case err != nil:
		return s
	case busy && s.entry.Setup == ledger.Finished:
		s.state, s.why = Ready, ""
	case busy, s.listed && p.halfRemoved(s.name):
		s.state, s.why = Pending, ""
	}
	return s
}

// halfRemoved tells whether a removal of the name was killed with its tree in the trash.
func (p *Project) halfRemoved(name string) bool {
	entries, err := p.store.EntriesOf(name)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !exists(e.Tree()) {
			continue
		}
		if r, err := e.Read(); err == nil && p.owns(r) && r.State == store.Removing {
			return true
		}
	}
	return false
}
