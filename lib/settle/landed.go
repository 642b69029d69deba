package settle

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// judge sets what the branches of one remote come to by their commits.
func (j *Judge) judge(ctx context.Context, remote string, rows []*Verdict) error {
	r, err := j.read(ctx, remote)
	if err != nil {
		return fail(rows, err)
	}
	config, err := j.settings(ctx)
	if err != nil {
		return err
	}
	elsewhere := pushesElsewhere(config, remote)
	for _, v := range rows {
		v.Into, v.IntoCommit, v.facts.elsewhere = short(remote, r.Default), r.commit, elsewhere
	}
	found, err := j.landings(ctx, r, rows)
	if err != nil {
		return err
	}
	for _, v := range rows {
		v.stand(found[v.Tip], r, j.shallow())
		if err := j.weigh(ctx, v, r); err != nil {
			return err
		}
	}
	return nil
}

// fail gives all the branches of a remote the outcome that its failure is.
func fail(rows []*Verdict, err error) error {
	var lost *Unreachable
	standing, why := "", ""
	switch {
	case errors.Is(err, ErrNoRemote):
		standing = NoRemote
	case errors.Is(err, ErrNoDefault):
		standing = NoDefaultBranch
	case errors.As(err, &lost):
		standing, why = RemoteUnreachable, lost.Detail
	default:
		return err
	}
	for _, v := range rows {
		v.facts.standing, v.facts.why = standing, why
	}
	return nil
}

// stand sets the outcome by commits alone.
func (v *Verdict) stand(l landing, r reading, shallow bool) {
	v.Landing, v.Match = l.how, l.match
	f := &v.facts
	switch {
	case f.moved:
		v.moved()
		f.standing, f.why = v.Outcome, v.Detail
	case v.HasUpstream && f.ref == r.Default:
		f.standing = TracksDefault
	case l.how != "":
		f.standing = Deleted
	default:
		f.standing, f.why = Unmerged, l.why
		if f.why == "" && shallow {
			f.why = "the clone is shallow, so what its history leaves out could not be looked at"
		}
	}
}

// weigh looks at the remote branch of one that would go: it may only go when the
// branch's tip reaches it.
func (j *Judge) weigh(ctx context.Context, v *Verdict, r reading) error {
	f := &v.facts
	if f.standing != Deleted || f.ref == r.Default {
		return nil
	}
	f.id = r.Heads[f.ref]
	if f.id == "" || f.id == v.Tip {
		return nil
	}
	held, err := j.repo.Ancestor(ctx, f.id, v.Tip)
	// git fails on a commit that is not here, which the branch then does not hold.
	f.ahead = !held
	return unlessGit(err)
}

// unlessGit is nil for a failure of git's, which the judgement answers by keeping
// the branch, and any other error as it is.
func unlessGit(err error) error {
	var failed *git.Error
	if errors.As(err, &failed) {
		return nil
	}
	return err
}

// A landing is how one tip landed.
type landing struct {
	how   string // "", Merged or SquashMerged
	match string // the commit that carries a squash
	why   string // a line where the judgement itself failed
}

// landings judges the tips of rows, by tip.
func (j *Judge) landings(ctx context.Context, r reading, rows []*Verdict) (map[string]landing, error) {
	var tips []string
	found := map[string]landing{}
	for _, v := range rows {
		if _, ok := found[v.Tip]; !ok {
			found[v.Tip] = landing{}
			tips = append(tips, v.Tip)
		}
	}
	tips = slices.DeleteFunc(tips, func(tip string) bool {
		if tip != r.commit {
			return false
		}
		found[tip] = landing{how: Merged} // as after a fast-forward: nobody has to be asked
		return true
	})
	graph, err := j.beyond(ctx, r.commit, tips, found)
	if err != nil {
		return nil, err
	}
	var open []string
	for _, v := range rows {
		l := found[v.Tip]
		if l.how == "" && l.why == "" && v.goneFrom(r) {
			open = append(open, v.Tip)
		}
	}
	return found, j.squashes(ctx, r.commit, graph, open, found)
}

// goneFrom tells whether the branch's upstream is a branch that the remote no longer
// has, as after a host merged and deleted it.
func (v *Verdict) goneFrom(r reading) bool {
	f := v.facts
	return v.HasUpstream && strings.HasPrefix(f.ref, heads) && r.Heads[f.ref] == ""
}

// beyond marks the tips that into reaches as merged, and gives the commits that the
// others have beyond it, each with its parents: one question for all of them.
func (j *Judge) beyond(ctx context.Context, into string, tips []string, found map[string]landing) (map[string][]string, error) {
	if len(tips) == 0 {
		return nil, nil
	}
	graph, err := j.repo.Beyond(ctx, tips, into)
	if err != nil && len(tips) > 1 && unlessGit(err) == nil {
		// One commit that git cannot walk fails the question for all.
		graph = map[string][]string{}
		for _, tip := range tips {
			one, err := j.beyond(ctx, into, []string{tip}, found)
			if err != nil {
				return nil, err
			}
			for id, parents := range one {
				graph[id] = parents
			}
		}
		return graph, nil
	}
	var failed *git.Error
	if errors.As(err, &failed) {
		found[tips[0]] = landing{why: failed.Detail()}
		return nil, nil
	}
	for _, tip := range tips {
		if _, out := graph[tip]; err == nil && !out {
			found[tip] = landing{how: Merged}
		}
	}
	return graph, err
}
