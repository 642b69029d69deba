package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// bury moves the worktree into the trash and drops git's entry for it. Nothing goes
// before what brings it back is written; killed at any point, the next command on the
// name puts it back or finishes.
func (r *removal) bury(ctx context.Context) error {
	entry, err := r.store.NewEntry(r.name, time.Now(), r.anchorsTaken)
	if err != nil {
		return err
	}
	record := r.newRecord(ctx)
	err = entry.Write(record)
	if err == nil {
		err = r.save(ctx, entry, &record)
	}
	if err == nil {
		err = r.moveAway(ctx, entry, &record)
	}
	if err != nil {
		r.clearEntry(context.WithoutCancel(ctx), entry, record)
		return err
	}
	record.State, r.trash = store.Removed, entry
	record.Wanted = !r.options.Discard && worthSlimming(entry.Tree())
	r.wanted = record.Wanted
	if err := entry.Write(record); err != nil || !r.options.Discard {
		return err
	}
	if err := entry.Discard(); err != nil {
		note(r.out, "not all of worktree %s could be deleted, and agent-worktree prune tries again: %s", r.name, err)
	}
	return nil
}

// newRecord is the entry's record before anything was moved.
func (r *removal) newRecord(ctx context.Context) store.Record {
	ledger, _ := os.ReadFile(r.ledger.File(r.name))
	return store.Record{
		State: store.Removing, Name: r.name, Path: r.path, Primary: r.Primary,
		Branch: r.branch, Head: r.tip, Settings: r.settings(ctx), Ledger: json.RawMessage(ledger),
		Removed: time.Now().UTC().Format(time.RFC3339), Why: r.verb, Admin: filepath.Base(r.admin.Dir),
		Doing: r.doing, Torn: r.failed == nil, Discard: r.options.Discard,
	}
}

// settings are the branch's own in the clone's configuration, which go with the branch.
func (r *removal) settings(ctx context.Context) []string {
	if r.branch == "" || !r.repo.MentionsBranch(r.branch) {
		return nil
	}
	judge := r.judge
	if r.hooked() { // its teardown may have changed what was read before
		judge = settle.New(r.repo)
	}
	settings, err := judge.BranchSettings(ctx, r.branch)
	if err != nil {
		return nil
	}
	return settings
}

// save writes the anchors and a copy of git's admin directory.
func (r *removal) save(ctx context.Context, entry store.Entry, record *store.Record) error {
	changes, err := r.anchors(ctx, entry, record)
	if err != nil {
		return err
	}
	for _, c := range changes {
		record.Anchors = append(record.Anchors, c.Ref)
	}
	if err := entry.Write(*record); err != nil {
		return err
	}
	if len(changes) > 0 {
		if err := r.repo.Update(ctx, "agent-worktree: "+r.verb+" "+r.name, false, changes...); err != nil {
			return err
		}
	}
	if r.admin.Dir == "" {
		return nil
	}
	return entry.SaveAdmin(r.admin.Dir)
}

// moveAway renames the tree into the entry, judges it once more there, archives its kept
// files and drops git's entry. Whatever stops it puts the tree back.
func (r *removal) moveAway(ctx context.Context, entry store.Entry, record *store.Record) error {
	r.noteProcesses()
	if id, ok := store.Identify(r.path); !ok || id != r.id {
		return foreignPath(standing{name: r.name, path: r.path}, "something else")
	}
	tree, err := r.rename(entry)
	if err != nil {
		return r.notDeletable(err)
	}
	err = r.askMoved(ctx, tree)
	if err == nil {
		err = r.archiveKept(ctx, tree, record)
	}
	if err == nil {
		err = store.MoveModules(r.admin.Dir, entry.Git())
	}
	if err == nil {
		err = r.drop(ctx, entry, r.path, r.admin)
	}
	if err != nil {
		return errors.Join(err, putBack(entry, tree, r.path, r.admin.Dir))
	}
	if tree != entry.Tree() {
		if err := store.Delete(tree); err != nil {
			note(r.out, "not all of worktree %s could be deleted, and the rest is in %s: %s", r.name, tree, err)
		}
	}
	return nil
}

// rename moves the tree into the entry. One that is to be discarded and lies on another
// file system moves aside where it is.
func (r *removal) rename(entry store.Entry) (tree string, err error) {
	err = fault.Rename(r.path, entry.Tree())
	if !r.options.Discard || !errors.Is(err, syscall.EXDEV) {
		return entry.Tree(), err
	}
	aside := filepath.Join(filepath.Dir(r.path), "."+entry.ID)
	return aside, fault.Rename(r.path, aside)
}

// askMoved judges what was moved: a file written meanwhile came along, and without
// force it keeps the worktree.
func (r *removal) askMoved(ctx context.Context, tree string) error {
	id, ok := store.Identify(tree)
	if !ok || id != r.id {
		return foreignPath(standing{name: r.name, path: r.path}, "something else")
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var answer guard.Answer
	if r.options.Force {
		answer = guard.AskForced(ctx, r.repo, r.subjectAt(tree))
	} else {
		answer = r.guards(ctx, tree)
		if answer.Status.Head != r.tip && answer.First(false) == nil {
			return r.changed(answer.Status.Head)
		}
	}
	return answer.First(r.options.Force)
}

// changed refuses a worktree in which a commit was made while it was removed.
func (r *removal) changed(head string) error {
	return &refuse.Refusal{
		Code:    refuse.Dirty,
		Message: fmt.Sprintf("worktree %s moved from %s to %s while it was being removed", r.name, short(r.tip), short(head)),
		Meta:    about(standing{name: r.name, path: r.path}, refuse.Fact{Key: "head", Value: head}),
		Resolve: "agent-worktree remove " + r.name,
	}
}

func (r *removal) notDeletable(err error) error {
	act := "make " + refuse.Shell(filepath.Dir(r.path)) + " and " + refuse.Shell(r.path) + " writable, then agent-worktree remove " + r.name
	if errors.Is(err, syscall.EXDEV) { // by a bind mount, which no device number tells
		act = "agent-worktree remove --discard " + r.name
	}
	return &refuse.Refusal{
		Code:    refuse.NotDeletable,
		Message: fmt.Sprintf("worktree %s at %s cannot be moved to the trash: %s", r.name, r.path, err),
		Meta:    about(standing{name: r.name, path: r.path}, refuse.Fact{Key: "reason", Value: err.Error()}),
		Resolve: act,
	}
}

// putBack undoes a move: the tree to its place, submodules' repositories to git's entry.
func putBack(entry store.Entry, tree, path, admin string) error {
	err := store.MoveModules(entry.Git(), admin)
	if exists(tree) {
		err = errors.Join(err, fault.Rename(tree, path))
	}
	return err
}

// drop drops git's entry for the worktree at path, whose directory has been moved away;
// known is where the entry was.
// Where something is at the path again git would refuse, and where git was stopped half
// way it cannot go on: then the entry is dropped here, since its own files say that it
// is this worktree's.
func (j *job) drop(ctx context.Context, entry store.Entry, path string, known git.Admin) error {
	lock, err := j.ledger.Repository(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	admin, listed, err := git.AdminOf(j.Common, path, known.Dir)
	if err != nil || !listed {
		return err
	}
	if exists(path) || !entry.SavedWhole(admin.Dir) {
		return fault.RemoveAll(admin.Dir)
	}
	if err = j.repo.DropWorktree(ctx, lock, path); err == nil {
		return nil
	}
	_, listed, again := git.AdminOf(j.Common, path)
	taken := exists(filepath.Join(admin.Dir, "gitdir")) || exists(filepath.Join(admin.Dir, "locked"))
	switch {
	case again == nil && !listed && taken: // it is another's by now
		return nil
	case exists(path), !entry.SavedWhole(admin.Dir):
		return fault.RemoveAll(admin.Dir)
	}
	return err
}

// clearEntry removes an entry whose removal did not come to be, and its anchors. An
// entry that still holds something of the worktree's stays: nothing is deleted that did
// not go back.
func (j *job) clearEntry(ctx context.Context, entry store.Entry, record store.Record) {
	for _, left := range []string{entry.Tree(), filepath.Join(entry.Git(), "modules")} {
		if exists(left) {
			note(j.out, "part of worktree %s is kept in %s", j.name, left)
			return
		}
	}
	j.clearAnchorLocks()
	j.dropAnchors(ctx, record.Anchors)
	if err := entry.Retire(); err != nil {
		note(j.out, "the trash entry %s is left over: %s", entry.Dir, err)
	}
}

// dropAnchors deletes refs of ours, whatever they hold; those that are gone are no error.
func (p *Project) dropAnchors(ctx context.Context, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	have, err := p.repo.Refs(ctx, refs...)
	if err != nil {
		return err
	}
	var changes []git.Change
	for _, ref := range refs {
		if have[ref] != "" {
			changes = append(changes, git.Change{Ref: ref, Old: have[ref]})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return p.repo.Update(ctx, "agent-worktree: anchors dropped", false, changes...)
}
