package settle

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/cniska/agent-worktree/lib/git"
)

// OwnCommits tells of each branch whether it has a commit of its own, without which a
// branch that was just cut, or only followed the default branch, would pass for landed.
//
// It has one when its history since the commit it was cut from leaves the default branch's
// first-parent line; or when its reflog or its worktree's tells of a commit made here that
// its tip still holds; or when it is not known where it was cut and its reflog does not go
// back to when it was registered. The number of git calls does not depend on how many
// branches there are.
func (j *Judge) OwnCommits(ctx context.Context, claims []Claim) ([]bool, error) {
	own := make([]bool, len(claims))
	var doubts []doubt
	for i, c := range claims {
		tip, err := j.tipOf(ctx, c.Subject)
		if err != nil {
			return nil, err
		}
		if tip == "" {
			continue
		}
		log := readLog(filepath.Join(j.repo.Common, "logs", "refs", "heads", filepath.FromSlash(c.Branch)))
		ids := authored(append(slices.Clone(log), readLog(c.Log)...))
		if slices.Contains(ids, tip) || c.Base == "" && (len(log) == 0 || log[0].at > c.Created.Unix()) {
			own[i] = true // the usual case, in no process
			continue
		}
		doubts = append(doubts, doubt{tip: tip, base: c.Base, into: j.commitOf(c.Into), ids: ids, own: &own[i]})
	}
	err := j.leaveLine(ctx, doubts)
	if err == nil {
		err = j.holdOwn(ctx, doubts)
	}
	return own, err
}

// A doubt is a branch of which its files do not tell.
type doubt struct {
	tip  string
	base string   // the commit it was cut from, "" when that is not known
	into string   // the default branch's commit, "" when that is not known
	ids  []string // the commits that were made here, by the reflogs
	own  *bool
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

// leaveLine finds the tips that are beyond their base and off the default branch's
// first-parent line. A tip on that line has nothing that the default branch did not get
// in one step: what it holds beside the line came in with merges, mostly of other
// people's branches.
func (j *Judge) leaveLine(ctx context.Context, doubts []doubt) error {
	asked := slices.DeleteFunc(slices.Clone(doubts), func(d doubt) bool {
		return d.base == "" || d.into == "" || d.tip == d.base
	})
	return j.relate(ctx, asked,
		func(d doubt) []string { return []string{d.tip, d.base, d.into} },
		func(k git.Kin, d doubt) bool { return !k.Reaches(d.base, d.tip) && !k.OnLine(d.into, d.tip) })
}

// holdOwn finds the tips that still hold a commit made here. One that is gone is held by
// none.
func (j *Judge) holdOwn(ctx context.Context, doubts []doubt) error {
	asked := slices.DeleteFunc(slices.Clone(doubts), func(d doubt) bool { return *d.own || len(d.ids) == 0 })
	if len(asked) == 0 {
		return nil
	}
	var ids []string
	for _, d := range asked {
		ids = append(ids, d.ids...)
	}
	here, err := j.repo.Here(ctx, ids)
	if err != nil {
		return unlessGit(err)
	}
	for i := range asked {
		asked[i].ids = slices.DeleteFunc(slices.Clone(asked[i].ids), func(id string) bool { return !here[id] })
	}
	return j.relate(ctx, asked,
		func(d doubt) []string { return append([]string{d.tip}, d.ids...) },
		func(k git.Kin, d doubt) bool {
			return slices.ContainsFunc(d.ids, func(id string) bool { return k.Reaches(d.tip, id) })
		})
}

// relate asks in one go how the commits that the doubts are about are related, and
// decides by that. Where git cannot walk one of them it asks for each doubt by itself, and
// leaves those open of which git cannot tell.
func (j *Judge) relate(ctx context.Context, doubts []doubt, about func(doubt) []string, own func(git.Kin, doubt) bool) error {
	var ids []string
	for _, d := range doubts {
		ids = append(ids, about(d)...)
	}
	kin, err := j.repo.Kin(ctx, ids)
	if err != nil && unlessGit(err) == nil && len(doubts) > 1 {
		for i := range doubts {
			if err := j.relate(ctx, doubts[i:i+1], about, own); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return unlessGit(err)
	}
	for _, d := range doubts {
		*d.own = *d.own || own(kin, d)
	}
	return nil
}
