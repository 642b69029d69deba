package task

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
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
		if r.State == store.Removed && !r.Discard && p.owns(r) {
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
	if j.restored != entry.ID { // else taking the lock has just finished it
		if err := j.restoreEntry(ctx, entry); err != nil {
			return Restored{}, err
		}
	}
	if err := j.prepare(ctx); err != nil {
		return Restored{}, err
	}
	return Restored{Name: entry.Name, Path: j.store.Path(entry.Name), Branch: j.onBranch, Recovery: entry.ID}, nil
}

// restoreEntry brings back the worktree of an entry, or of anchors that have none.
func (j *job) restoreEntry(ctx context.Context, entry store.Entry) error {
	if err := j.vacant(); err != nil {
		return err
	}
	unlock, err := j.lockEntry(ctx, entry)
	if err != nil {
		return err
	}
	defer unlock()
	record, err := entry.Read()
	if err != nil {
		return err
	}
	return j.bringBack(ctx, entry, record)
}

// lockEntry waits for the entry, which a process that slims it may have.
func (j *job) lockEntry(ctx context.Context, entry store.Entry) (unlock func(), err error) {
	for told := false; ; {
		unlock, free, err := entry.TryLock()
		if err != nil || free {
			return unlock, err
		}
		if !told {
			told = true
			note(j.out, "waiting for the process that drops caches from %s", entry.ID)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
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
		if err != nil || r.State == store.Removing || r.Discard || !p.owns(r) {
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
	return store.Entry{}, p.notRemoved(name)
}

// notRemoved is the refusal of a name that nothing is kept for. One that is registered
// and not set up may be back from a restore that was killed after its last move.
func (p *Project) notRemoved(name string) error {
	act := "agent-worktree restore lists what can come back"
	if e, err := p.ledger.Read(name); err == nil && e != nil && e.Setup != ledger.Finished {
		act = "agent-worktree create " + name + " finishes the worktree of that name; " + act
	}
	return &refuse.Refusal{
		Code:    refuse.NotRemoved,
		Message: fmt.Sprintf("nothing removed by the name %s is kept", refuse.Visible(name)),
		Meta:    refuse.Meta{{Key: "name", Value: name}},
		Resolve: act,
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
	act := "agent-worktree remove " + j.name + ", then agent-worktree restore with the entry's whole name from agent-worktree restore"
	if s.state == Pending { // it may have just come back, the restore killed before its setup
		act = "agent-worktree create " + j.name + " finishes it; to bring back another, " + act
	}
	return &refuse.Refusal{
		Code:    refuse.Exists,
		Message: fmt.Sprintf("worktree %s cannot come back: one of that name is there", j.name),
		Meta:    about(s, refuse.Fact{Key: "state", Value: string(s.state)}),
		Resolve: act,
	}
}

// bringBack takes the steps of a restore. Each may have been taken already by a run
// that was killed. j.onBranch is then the branch that it is on, "" for none.
func (j *job) bringBack(ctx context.Context, entry store.Entry, record store.Record) (err error) {
	path := j.store.Path(j.name)
	if err := j.store.Make(j.store.Dir()); err != nil {
		return err
	}
	record.State = store.Restoring
	if err := entry.Write(record); err != nil {
		return err
	}
	if j.onBranch, err = j.freeBranch(ctx, record); err != nil {
		return err
	}
	if err := j.recreate(ctx, record.Doing, record.DoingTip); err != nil {
		return err
	}
	admin, err := j.readmit(ctx, path, record)
	if err != nil {
		return err
	}
	left, err := j.refill(ctx, entry, record, admin)
	if err != nil {
		return err
	}
	if err := fault.Remove(filepath.Join(admin.Dir, "locked")); err != nil && !os.IsNotExist(err) {
		return err
	}
	j.entry = entryOf(record, path, j.Primary)
	if err := j.ledger.Write(j.name, j.entry); err != nil {
		return err
	}
	return j.done(entry, record, left)
}

// done ends a restore: from here on the worktree is its user's again, and nothing of the
// entry may be copied over it any more. Files whose place was taken keep the entry.
func (j *job) done(entry store.Entry, record store.Record, left int) error {
	if left == 0 {
		return entry.Retire()
	}
	note(j.out, "%d files of worktree %s did not find their place free, and are kept in %s", left, j.name, entry.Tree())
	record.State = store.Removed
	return entry.Write(record)
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
