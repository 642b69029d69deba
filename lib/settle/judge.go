package settle

import (
	"context"
	"os"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cniska/agent-worktree/lib/git"
)

// A Subject is one branch to judge.
type Subject struct {
	Branch string // short name
	Tip    string // the commit to judge, "" to judge the one it is at now
	Path   string // absolute path of its own worktree, which does not hold it; "" for none
}

// A Verdict is what would become, or became, of one branch. Facts of an outcome that
// is not this one may be set as well; 2.4 of the design says which belong to which.
type Verdict struct {
	Branch string // short name
	Tip    string // the commit that was judged, "" when there is no such branch

	// Outcome is one of the constants, and "" when there is no such branch or, with
	// an error of Settle, when its deletion here failed.
	Outcome string

	Landing      string // Merged or SquashMerged when it has landed, whatever the outcome; else ""
	Into         string // <remote>/<default branch>, "" when that is not known
	IntoCommit   string // the commit of Into that it was judged against
	Match        string // the commit of Into that carries a squash
	Remote       string // the remote that judged it; words for one that has no name
	RemoteBranch string // <remote>/<branch> that goes with it, is ahead or is kept; else ""
	Detail       string // one line of why, for remote_unreachable, remote_branch_kept and some unmerged
	At           string // the other worktree that holds it
	HasUpstream  bool   // it has an upstream on a remote

	facts facts
}

// facts are what an outcome is concluded from.
type facts struct {
	standing  string // the outcome by its commits alone
	why       string // its Detail
	path      string // its own worktree
	ref, id   string // the remote branch and its tip, "" when the remote has none
	ahead     bool   // which holds commits that the tip lacks
	elsewhere bool   // a push would go to another repository
	at        string // the other worktree that holds the branch
	moved     bool   // the branch is not at the tip that was to be judged
}

// Judge tells what would become of each branch, in the order given: Deleted is one
// that Settle would delete. A remote that fails is an outcome; an error is a local
// accident, or refuse.InvalidConfig.
func (j *Judge) Judge(ctx context.Context, subjects []Subject) ([]Verdict, error) {
	// A setting that cannot be meant is refused before anything is asked.
	if err := j.Check(ctx); err != nil {
		return nil, err
	}
	rows, byRemote, err := j.open(ctx, subjects)
	if err != nil {
		return nil, err
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for remote, some := range byRemote {
		group.Go(func() error { return j.judge(gctx, remote, some) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return j.Restrict(ctx, rows, Options{})
}

// Restrict is the verdicts as they are under the options.
func (j *Judge) Restrict(ctx context.Context, verdicts []Verdict, o Options) ([]Verdict, error) {
	keep, err := j.keepsRemote(ctx, o)
	if err != nil {
		return nil, err
	}
	rows := slices.Clone(verdicts)
	for i := range rows {
		rows[i].conclude(keep)
	}
	return rows, nil
}

// open reads what this clone says of the branches, and groups those that a remote has
// to judge by its name.
func (j *Judge) open(ctx context.Context, subjects []Subject) ([]Verdict, map[string][]*Verdict, error) {
	config, err := j.settings(ctx)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]Verdict, len(subjects))
	for i, s := range subjects {
		rows[i] = Verdict{Branch: s.Branch, Tip: s.Tip, facts: facts{path: s.Path}}
	}
	local, err := j.local(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	byRemote := map[string][]*Verdict{}
	for i := range rows {
		v := &rows[i]
		if v.Tip == "" {
			v.Tip = local.tip(v.Branch)
		}
		if v.Tip == "" {
			continue
		}
		now := local.tip(v.Branch)
		v.facts.at, v.facts.moved = local.holder(*v), now != "" && now != v.Tip
		u := upstreamOf(config, v.Branch)
		v.Remote, v.HasUpstream, v.facts.ref = u.remote, u.set, u.ref
		if u.nameless {
			v.facts.standing = NoRemote
			continue
		}
		byRemote[u.remote] = append(byRemote[u.remote], v)
	}
	return rows, byRemote, nil
}

// conclude sets the outcome and its facts.
func (v *Verdict) conclude(keepRemote bool) {
	f := v.facts
	v.Outcome, v.Detail, v.RemoteBranch, v.At = f.standing, f.why, "", ""
	if f.standing != Deleted {
		return
	}
	if f.id != "" && !keepRemote {
		v.RemoteBranch = short(v.Remote, f.ref)
		switch {
		case f.ahead:
			v.Outcome = RemoteBranchAhead
			return
		case f.elsewhere:
			v.Outcome = RemoteBranchKept
			v.Detail = "its push URL is not the URL it is read from"
			return
		}
	}
	if f.at != "" {
		v.Outcome, v.At, v.RemoteBranch = CheckedOut, f.at, ""
	}
}

// A local is this clone's branches and who holds them.
type local struct {
	branches map[string]git.Branch // by short name
	uses     map[string][]string   // worktrees by full ref name
}

func (j *Judge) local(ctx context.Context, rows []Verdict) (local, error) {
	var names []string
	for _, v := range rows {
		names = append(names, v.Branch)
	}
	branches, err := j.repo.Branches(ctx, names...)
	if err != nil {
		return local{}, err
	}
	uses, err := j.repo.BranchUses()
	return local{branches: branches, uses: uses}, err
}

func (l local) tip(branch string) string { return l.branches[branch].Tip }

// holder is a worktree other than the branch's own that holds it, "" when none does.
func (l local) holder(v Verdict) string {
	paths := l.uses[heads+v.Branch]
	// git's word counts as well: the files of a reftable do not name the branch.
	if at := l.branches[v.Branch].Worktree; at != "" {
		paths = append(slices.Clone(paths), at)
	}
	for _, p := range paths {
		if !samePlace(p, v.facts.path) {
			return p
		}
	}
	return ""
}

func samePlace(a, b string) bool {
	if a == b || b == "" {
		return a == b
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
