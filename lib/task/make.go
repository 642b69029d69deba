package task

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
)

// A plan is what a worktree is made of, all decided before anything is changed.
type plan struct {
	branch string
	tip    string // the commit the branch is at or will be cut from
	from   string // what it is cut from, as the reflog names it
	cut    bool   // the branch is new
	again  bool   // the making is being resumed: a branch at its base is its own
	hook   string // git's post-checkout hook, absolute

	tracking string // the tracking ref that the fetched tip belongs to, "" for none
	fetched  string // the ref it was fetched into, "" for none
}

// make makes a worktree that is not registered yet, and sets it up.
func (j *job) make(ctx context.Context, o CreateOptions) error {
	m, err := j.plan(ctx, o)
	if err != nil {
		return err
	}
	if err := j.store.Make(j.store.Dir()); err != nil {
		return err
	}
	j.entry = &ledger.Entry{
		Setup: ledger.Making, Branch: m.branch, Cut: m.cut,
		Path: j.store.Path(j.name), Primary: j.Primary, Created: time.Now(),
	}
	if m.cut {
		j.entry.Base = m.tip
	}
	if err := j.ledger.Create(j.name, j.entry); err != nil {
		return err
	}
	if err := j.build(ctx, m); err != nil {
		return j.takeBack(ctx, err)
	}
	return j.stood(ctx)
}

// plan decides branch and commit, and refuses what cannot be made.
func (j *job) plan(ctx context.Context, o CreateOptions) (plan, error) {
	m := plan{branch: j.branchOf(o)}
	if err := j.checkBranch(ctx, o); err != nil {
		return m, err
	}
	if o.From == "" && m.branch == j.name && j.repo.Lacks(m.branch) {
		j.judge.Ahead(ctx, "origin") // git reads its own refs while the remote answers
	}
	heads, err := j.headsOf(ctx, o)
	if err != nil {
		return m, err
	}
	m.hook = heads.Hook
	if !filepath.IsAbs(m.hook) {
		m.hook = filepath.Join(j.Primary, m.hook)
	}
	if err := j.collides(m.branch, heads.Branches); err != nil {
		return m, err
	}
	if slices.Contains(heads.Branches, m.branch) {
		return m, j.reuse(ctx, &m, o)
	}
	if err := conflict(j.name, m.branch, heads.Branches); err != nil {
		return m, err
	}
	m.cut = true
	return m, j.base(ctx, &m, o, heads)
}

// checkBranch refuses a --branch that cannot be one.
func (j *job) checkBranch(ctx context.Context, o CreateOptions) error {
	if o.Branch == "" || o.Branch == j.name {
		return nil
	}
	why := place.BadBranch(o.Branch)
	if why == "" {
		ok, err := j.repo.ValidBranch(ctx, o.Branch)
		if err != nil {
			return err
		}
		if !ok {
			why = "is none that git takes"
		}
	}
	if why == "" {
		return nil
	}
	return &refuse.Refusal{
		Code:    refuse.InvalidBranch,
		Message: fmt.Sprintf("the branch name %q %s", refuse.Visible(o.Branch), why),
		Meta:    refuse.Meta{{Key: "name", Value: j.name}, {Key: "branch", Value: o.Branch}, {Key: "reason", Value: why}},
		Resolve: "agent-worktree create --branch <branch> " + j.name + " with a name that git check-ref-format --branch accepts",
	}
}

// reuse takes a branch that exists.
func (j *job) reuse(ctx context.Context, m *plan, o CreateOptions) error {
	found, err := j.repo.Branches(ctx, m.branch)
	if err != nil {
		return err
	}
	b := found[m.branch]
	if b.Tip == "" {
		return fmt.Errorf("branch %s went away", m.branch)
	}
	uses, err := j.repo.BranchUses()
	if err != nil {
		return err
	}
	at := append(uses["refs/heads/"+m.branch], b.Worktree)[0]
	switch {
	case o.From != "":
		return j.branchExists(m.branch, at)
	case at != "":
		return j.checkedOut(m.branch, at)
	}
	m.tip = b.Tip
	note(j.out, "branch %s exists at %s and is reused%s", m.branch, short(b.Tip), j.landedHere(ctx, b.Tip))
	return nil
}

// landedHere tells, from what this clone has, that a reused branch's work is in the
// default branch already: its name may be meant for new work.
func (j *job) landedHere(ctx context.Context, tip string) string {
	refs, err := j.repo.Refs(ctx, "refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")
	if err != nil {
		return ""
	}
	for _, ref := range []string{"HEAD", "main", "master"} {
		into := refs["refs/remotes/origin/"+ref]
		if into == "" {
			continue
		}
		if in, err := j.repo.Ancestor(ctx, tip, into); err == nil && in {
			return ", which has landed on origin's default branch already"
		}
		return ""
	}
	return ""
}

// base decides what a new branch is cut from.
func (j *job) base(ctx context.Context, m *plan, o CreateOptions, heads git.Heads) error {
	switch {
	case o.From != "" && heads.Commit == "":
		return j.unknownRef(ctx, m.branch, o.From)
	case o.From != "":
		m.tip, m.from = heads.Commit, o.From
		return nil
	case o.Branch != "" && o.Branch != j.name:
		return j.unknownBranch(ctx, o.Branch)
	}
	base, err := j.judge.Base(ctx, "origin")
	var away *settle.Unreachable
	switch {
	case err == nil:
		m.tip, m.from = base.Commit, "origin/"+strings.TrimPrefix(base.Ref, "refs/heads/")
		m.tracking, m.fetched = base.Tracking, base.Fetched
		if base.Heads["refs/heads/"+m.branch] != "" {
			note(j.out, "origin already has a branch %s, which this one is not cut from; git push would meet it", m.branch)
		}
		return nil
	case errors.As(err, &away):
		return j.remoteUnreachable(away)
	case errors.Is(err, settle.ErrNoRemote):
		return j.fromHead(ctx, m, "no remote origin")
	case errors.Is(err, settle.ErrNoDefault):
		return j.fromHead(ctx, m, "origin has no default branch")
	}
	return err
}

// fromHead cuts from the primary's HEAD, where there is nothing newer to trail.
func (j *job) fromHead(ctx context.Context, m *plan, why string) error {
	tip, err := j.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if tip == "" {
		return j.noCommits()
	}
	note(j.out, "branch %s cut from HEAD, %s", m.branch, why)
	m.tip, m.from = tip, "HEAD"
	return nil
}

// conflict refuses a branch whose ref would need other branches' refs as a directory, or
// the other way round.
func conflict(name, branch string, branches []string) error {
	var others, renames []string
	for _, other := range branches {
		if strings.HasPrefix(other, branch+"/") || strings.HasPrefix(branch, other+"/") {
			others = append(others, other)
			renames = append(renames, "git branch -m "+refuse.Shell(other)+" <new name>")
		}
	}
	if len(others) == 0 {
		return nil
	}
	more, which := "", "the other"
	if n := len(others) - 1; n > 0 {
		more, which = fmt.Sprintf(" and %d more", n), "the others"
	}
	return &refuse.Refusal{
		Code:    refuse.RefConflict,
		Message: fmt.Sprintf("branch %s cannot be made beside branch %s%s: one's name is the other's directory", branch, others[0], more),
		Meta:    refuse.Meta{{Key: "name", Value: name}, {Key: "branch", Value: branch}, {Key: "ref", Value: "refs/heads/" + others[0]}},
		Resolve: "choose another name, or rename " + which + ": " + strings.Join(renames, " && "),
	}
}
