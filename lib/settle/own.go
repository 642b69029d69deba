package settle

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
)

// OwnCommit tells whether the branch has a commit of its own, without which a branch
// that was just cut, or only followed the default branch, would pass for landed.
//
// base and created are the ledger's: the commit the branch was cut from, "" when this
// tool did not cut it, and when it was registered. worktreeLog is the path of the
// worktree's logs/HEAD, "" for none. into is the default branch, as its commit or as a
// Verdict's Into; "" leaves it out.
//
// It has one when its history since base leaves the default branch's first-parent line;
// or when its reflog or its worktree's tells of a commit made here that its tip still
// holds; or when base is unknown and its reflog does not go back to created.
func (j *Judge) OwnCommit(ctx context.Context, s Subject, base string, created time.Time, worktreeLog, into string) (bool, error) {
	tip, err := j.tipOf(ctx, s)
	if err != nil || tip == "" {
		return false, err
	}
	log := readLog(filepath.Join(j.repo.Common, "logs", "refs", "heads", filepath.FromSlash(s.Branch)))
	ids := authored(append(slices.Clone(log), readLog(worktreeLog)...))
	switch {
	case slices.Contains(ids, tip):
		return true, nil // the usual case, in no process
	case base == "" && (len(log) == 0 || log[0].at > created.Unix()):
		return true, nil
	case base != "":
		off, err := j.leavesLine(ctx, tip, base, j.commitOf(into))
		if off || err != nil {
			return off, err
		}
	}
	if len(ids) == 0 {
		return false, nil
	}
	held, err := j.repo.Held(ctx, tip, ids)
	return len(held) > 0, unlessGit(err)
}

func (j *Judge) tipOf(ctx context.Context, s Subject) (string, error) {
	if s.Tip != "" {
		return s.Tip, nil
	}
	found, err := j.repo.Branches(ctx, s.Branch)
	return found[s.Branch].Tip, err
}

// commitOf is the commit of into, which is one already or a remote's default branch
// that was read; "" when it is neither.
func (j *Judge) commitOf(into string) string {
	if into == "" || git.IsID(into) {
		return into
	}
	for remote, r := range j.readings() {
		if short(remote, r.Default) == into {
			return r.commit
		}
	}
	return ""
}

// leavesLine tells whether the tip is beyond base and off into's first-parent line. A
// tip on that line has nothing that the default branch did not get in one step: what it
// holds beside the line came in with merges, mostly of other people's branches.
func (j *Judge) leavesLine(ctx context.Context, tip, base, into string) (bool, error) {
	if tip == base || into == "" {
		return false, nil
	}
	before, err := j.repo.Ancestor(ctx, tip, base)
	if before || err != nil {
		return false, unlessGit(err)
	}
	line, err := j.repo.Line(ctx, into, base)
	if err != nil {
		return false, unlessGit(err)
	}
	return !slices.Contains(line, tip), nil
}
