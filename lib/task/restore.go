package task

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// Restorable is one removed worktree that can come back.
type Restorable struct {
	Name    string
	Removed string // the entry, which restore takes
	Branch  string // short, "" when it was detached
	Head    string // commit
	Files   int    // how many files are kept, those that git has aside
	Path    string // where it was
}

// Restored is a worktree that came back.
type Restored struct {
	Name     string
	Path     string
	Branch   string // short, "" when it came back detached
	Recovery string // the entry it came from
}

// Restorable lists what can come back, oldest first.
func (p *Project) Restorable(ctx context.Context) ([]Restorable, error) {
	if err := p.store.Check(p.store.Trash()); err != nil {
		note(p.Stderr, "%s", err)
	}
	entries, err := p.store.Entries()
	if err != nil {
		return nil, err
	}
	var list []Restorable
	for _, e := range entries {
		r, err := e.Read()
		if err != nil {
			note(p.Stderr, "the trash entry %s has no record that can be read: %s", e.Dir, err)
			continue
		}
		if r.State == store.Removed {
			list = append(list, Restorable{Name: r.Name, Removed: e.ID, Branch: r.Branch, Head: r.Head, Files: e.Files(), Path: r.Path})
		}
	}
	return list, nil
}

// Restore brings back the removed worktree of that entry, or the newest of that name,
// and sets it up. Nothing is overwritten.
func (p *Project) Restore(ctx context.Context, name string) (Restored, error) {
	entry, err := p.findEntry(name)
	if err != nil {
		return Restored{}, err
	}
	j, err := p.begin(ctx, entry.Name, p.Stderr)
	if err != nil {
		return Restored{}, err
	}
	defer j.end()
	j.judge = settle.New(p.repo)
	defer j.judge.Close(context.WithoutCancel(ctx))
	record, err := entry.Read()
	if err != nil {
		return Restored{}, err
	}
	if err := j.vacant(); err != nil {
		return Restored{}, err
	}
	branch, err := j.bringBack(ctx, entry, record)
	if err != nil {
		return Restored{}, err
	}
	if err := j.prepare(ctx); err != nil {
		return Restored{}, err
	}
	return Restored{Name: entry.Name, Path: j.store.Path(entry.Name), Branch: branch, Recovery: entry.ID}, nil
}

// findEntry is the entry of exactly that name, else the newest of that worktree.
func (p *Project) findEntry(name string) (store.Entry, error) {
	if err := p.store.Make(p.store.Trash()); err != nil {
		return store.Entry{}, err
	}
	entries, err := p.store.Entries()
	if err != nil {
		return store.Entry{}, err
	}
	var newest *store.Entry
	for i, e := range entries {
		r, err := e.Read()
		if err != nil || r.State == store.Removing {
			continue
		}
		if e.ID == name {
			return e, nil
		}
		if e.Name == name {
			newest = &entries[i]
		}
	}
	if newest != nil {
		return *newest, nil
	}
	if strings.Contains(name, "/") || len(name) > 300 {
		return store.Entry{}, place.CheckName(name)
	}
	return store.Entry{}, &refuse.Refusal{
		Code:    refuse.NotRemoved,
		Message: fmt.Sprintf("nothing removed by the name %s is kept", refuse.Visible(name)),
		Meta:    refuse.Meta{{Key: "name", Value: name}},
		Resolve: "agent-worktree restore lists what can come back",
	}
}

// vacant refuses as exists when the name or its place is taken.
func (j *job) vacant() error {
	find, err := j.admins()
	if err != nil {
		return err
	}
	s := j.stand(j.name, find)
	if s.state == absent && !s.listed {
		return nil
	}
	return &refuse.Refusal{
		Code:    refuse.Exists,
		Message: fmt.Sprintf("worktree %s cannot come back: one of that name is there", j.name),
		Meta:    about(s, refuse.Fact{Key: "state", Value: string(s.state)}),
		Resolve: "agent-worktree remove " + j.name + ", then agent-worktree restore with the entry's whole name from agent-worktree restore",
	}
}

// bringBack takes the steps of a restore. Each may have been taken already by a run
// that was killed.
func (j *job) bringBack(ctx context.Context, entry store.Entry, record store.Record) (branch string, err error) {
	path := j.store.Path(j.name)
	if err := j.store.Make(j.store.Dir()); err != nil {
		return "", err
	}
	record.State = store.Restoring
	if err := entry.Write(record); err != nil {
		return "", err
	}
	if branch, err = j.freeBranch(ctx, record); err != nil {
		return "", err
	}
	admin, err := j.readmit(ctx, path, record.Head)
	if err != nil {
		return "", err
	}
	if err := j.refill(ctx, entry, record, admin, branch == ""); err != nil {
		return "", err
	}
	if err := os.Remove(filepath.Join(admin.Dir, "locked")); err != nil && !os.IsNotExist(err) {
		return "", err
	}
	j.entry = entryOf(record, path, j.Primary)
	if err := j.ledger.Write(j.name, j.entry); err != nil {
		return "", err
	}
	return branch, store.Delete(entry.Dir)
}

// entryOf is the worktree's registration as it was, pending and at its place now.
func entryOf(record store.Record, path, primary string) *ledger.Entry {
	e := &ledger.Entry{}
	if parsed, err := ledger.Parse(json.RawMessage(record.Ledger)); err == nil {
		e = parsed
	}
	if e.Created.IsZero() {
		e.Created = time.Now()
	}
	e.Setup, e.Path, e.Primary = ledger.Pending, path, primary
	if e.Branch == "" {
		e.Branch = record.Branch
	}
	return e
}

// freeBranch is the branch the worktree comes back on, recreated where it is gone; ""
// where it comes back detached, since the branch moved on or is checked out elsewhere.
func (j *job) freeBranch(ctx context.Context, record store.Record) (string, error) {
	if record.Branch == "" {
		return "", nil
	}
	ref := "refs/heads/" + record.Branch
	found, err := j.repo.Branches(ctx, record.Branch)
	if err != nil {
		return "", err
	}
	uses, err := j.repo.BranchUses()
	if err != nil {
		return "", err
	}
	for _, at := range uses[ref] {
		if at != j.store.Path(j.name) {
			note(j.out, "branch %s is checked out at %s, so the worktree comes back detached at %s", record.Branch, at, short(record.Head))
			return "", nil
		}
	}
	switch tip := found[record.Branch].Tip; tip {
	case record.Head:
		return record.Branch, nil
	case "":
		if err := j.repo.Update(ctx, "agent-worktree: restore "+j.name, false, git.Change{Ref: ref, New: record.Head}); err != nil {
			return "", err
		}
		return record.Branch, j.repo.RestoreBranch(ctx, record.Settings)
	default:
		note(j.out, "branch %s is at %s now, so the worktree comes back detached at %s", record.Branch, short(tip), short(record.Head))
		return "", nil
	}
}

// restoringReason is the lock reason of a worktree on its way back.
func restoringReason(name string) string { return "agent-worktree restoring " + name }

// readmit makes git's entry again, detached and with nothing checked out.
func (j *job) readmit(ctx context.Context, path, head string) (git.Admin, error) {
	lock, err := j.ledger.Repository(ctx)
	if err != nil {
		return git.Admin{}, err
	}
	defer lock.Unlock()
	if admin, listed, err := git.AdminOf(j.Common, path); err != nil || listed {
		return admin, err
	}
	if err := j.repo.MakeDetached(ctx, lock, path, head, restoringReason(j.name)); err != nil {
		return git.Admin{}, err
	}
	admin, listed, err := git.AdminOf(j.Common, path)
	if err == nil && !listed {
		err = fmt.Errorf("git made no entry for %s", path)
	}
	return admin, err
}
