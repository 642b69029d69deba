package task

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/store"
)

// takeGone does for a registered worktree whose directory is gone what comes before its
// branch is settled: its teardown, on the ledger's word, and dropping git's entry. It is
// nil when it turns out not to be gone, or another process works on it.
func (p *Project) takeGone(ctx context.Context, j *job, verb string) (*removal, error) {
	lock, err := p.ledger.TryWorktree(j.name)
	if err != nil || lock == nil {
		return nil, err
	}
	j.lock = lock
	if err := j.recover(ctx); err != nil {
		j.end()
		return nil, err
	}
	s, err := p.standNow(j.name)
	if err != nil {
		j.end()
		return nil, err
	}
	if s.state != Orphaned || s.why != gone {
		j.end()
		return nil, nil
	}
	j.entry = s.entry
	r := &removal{job: j, path: s.path, verb: verb}
	if err := r.away0(ctx, s); err != nil {
		j.end()
		return nil, err
	}
	return r, nil
}

// away0 is away for a worktree that left nothing but its registration.
func (r *removal) away0(ctx context.Context, s standing) (err error) {
	if r.block, err = r.ports.Held(r.ledger.File(r.name)); err != nil {
		return err
	}
	if !s.listed {
		if done, err := r.tornDown(ctx); err != nil || done {
			return err
		}
	}
	known := s.path
	if !s.listed {
		known = ""
	} else if err := r.unlocked(s); err != nil {
		return err
	}
	if _, err := r.runTeardown(ctx, known, r.block, "agent-worktree prune"); err != nil {
		return err
	}
	if s.listed {
		if r.tip, r.branch, err = r.headOfGone(ctx); err != nil {
			return err
		}
	} else {
		r.branch = r.entry.Branch
	}
	return r.buryGone(ctx, s.listed)
}

// unlocked finds git's entry, and refuses one that somebody locked: its directory may be
// on a disk that is away.
func (r *removal) unlocked(s standing) (err error) {
	if r.admin, _, err = git.AdminOf(r.Common, s.path); err != nil {
		return err
	}
	return guard.Unlocked(r.subjectAt(s.path))
}

// headOfGone is HEAD of an entry whose directory is gone. Where git fails, the file
// itself tells, so that no commit is left behind for a failure that passes; an entry too
// damaged to tell is dropped without.
func (r *removal) headOfGone(ctx context.Context) (tip, branch string, err error) {
	if tip, branch, err = r.repo.HeadOf(ctx, r.admin.Dir); err == nil {
		return tip, branch, nil
	}
	data, _ := git.ReadSmall(filepath.Join(r.admin.Dir, "HEAD"))
	head := strings.TrimSpace(string(data))
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		found, err := r.repo.Branches(ctx, name)
		if found[name].Tip == "" {
			return "", "", err
		}
		return found[name].Tip, name, nil
	}
	if !git.IsID(head) {
		return "", "", nil
	}
	ids, err := r.repo.Commits(ctx, []string{head})
	if len(ids) == 0 {
		return "", "", err
	}
	return head, "", nil
}

// tornDown tells whether only the branch of a removed worktree is still to be settled.
func (r *removal) tornDown(ctx context.Context) (bool, error) {
	e, record, ok, err := r.buried(r.name)
	if ok {
		r.trash, r.branch, r.tip = e, record.Branch, record.Head
		since, _ := time.Parse(time.RFC3339, record.Removed)
		r.clearLocks(ctx, since)
	}
	return ok, err
}

// buried is the entry of a removal of this very registration that got as far as the
// trash, its teardown done, and was killed before it was unregistered.
func (p *Project) buried(name string) (store.Entry, store.Record, bool, error) {
	registered, err := os.ReadFile(p.ledger.File(name))
	if err != nil {
		return store.Entry{}, store.Record{}, false, err
	}
	entries, err := p.store.EntriesOf(name)
	if err != nil {
		return store.Entry{}, store.Record{}, false, err
	}
	for _, e := range entries {
		record, err := e.Read()
		if err == nil && p.owns(record) && record.State == store.Removed && record.Torn && sameJSON(record.Ledger, registered) {
			return e, record, true, nil
		}
	}
	return store.Entry{}, store.Record{}, false, nil
}

// sameJSON compares without regard to white space, which a record's indenting changes.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// buryGone saves what git still has of a worktree whose directory is gone (its commits,
// what was staged) and drops git's entry.
func (r *removal) buryGone(ctx context.Context, listed bool) error {
	if !listed && r.branch != "" {
		found, err := r.repo.Branches(ctx, r.branch)
		if err != nil {
			return err
		}
		if found[r.branch].Tip == "" && r.repo.MentionsBranch(r.branch) { // a removal was stopped before it forgot them
			r.clearConfigLock(ctx, r.entry.Created)
			if err := r.repo.ForgetBranches(ctx, r.branch); err != nil {
				return err
			}
		}
		if r.tip = found[r.branch].Tip; r.tip == "" || found[r.branch].Worktree != "" {
			r.branch = ""
		}
	}
	if !listed && r.branch == "" {
		return nil
	}
	entry, err := r.store.NewEntry(r.name, time.Now(), r.anchorsTaken)
	if err != nil {
		return err
	}
	r.gone = true
	record := r.newRecord(ctx)
	record.Gone = true
	if err = entry.Write(record); err == nil {
		err = r.save(ctx, entry, &record)
	}
	if err == nil && listed {
		err = r.dropGone(ctx, entry)
	}
	if err != nil {
		r.clearEntry(context.WithoutCancel(ctx), entry, record)
		return err
	}
	record.State, r.trash = store.Removed, entry
	return entry.Write(record)
}

// dropGone drops git's entry for a worktree without a directory.
func (r *removal) dropGone(ctx context.Context, entry store.Entry) error {
	err := store.MoveModules(r.admin.Dir, entry.Git())
	if err == nil {
		err = r.drop(ctx, entry, r.path, r.admin)
	}
	if err != nil {
		return errors.Join(err, store.MoveModules(entry.Git(), r.admin.Dir))
	}
	return nil
}

// clearGone clears one gone worktree whose port block is needed: torn down, settled and
// unregistered, as prune would. It is false when it was not to be had.
func (j *job) clearGone(ctx context.Context, name string) (bool, error) {
	r, err := j.takeGone(ctx, &job{Project: j.Project, name: name, out: j.out, judge: j.judge}, "prune")
	if err != nil || r == nil {
		return false, err
	}
	defer r.end()
	if err := j.settleAll(ctx, j.judge, []*removal{r}, RemoveOptions{}); err != nil {
		return false, err
	}
	if err := r.unregister(ctx); err != nil {
		return false, err
	}
	r.noteBranch()
	return true, nil
}

// noteBranch says what became of the branch, where there was one.
func (r *removal) noteBranch() {
	if r.branch != "" {
		note(r.out, "%s", r.result())
	}
}
