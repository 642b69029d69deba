package task

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// about is the meta of a refusal about one worktree.
func about(s standing, more ...refuse.Fact) refuse.Meta {
	return append(refuse.Meta{{Key: "name", Value: s.name}, {Key: "path", Value: s.path}}, more...)
}

// unlocking begins an act that a lock on the worktree at a place would stop, "" where git
// has none there.
func (p *Project) unlocking(at string) string {
	admin, listed, err := git.AdminOf(p.Common, at)
	if err != nil || !listed {
		return ""
	}
	if _, locked := admin.LockReason(); !locked {
		return ""
	}
	return "git worktree unlock " + refuse.Shell(at) + " && "
}

func (p *Project) unmanaged(s standing) error {
	act := "rm -r "
	if s.listed && s.owner == store.Ours { // made by hand: git's record has to go as well
		act = p.unlocking(s.path) + "git worktree remove "
	}
	return &refuse.Refusal{
		Code:    refuse.Unmanaged,
		Message: s.path + " is there and agent-worktree did not make it",
		Meta:    about(s),
		Resolve: "move it away, or when nothing in it is needed " + act + refuse.Shell(s.path),
	}
}

func notAWorktree(s standing) error {
	return &refuse.Refusal{
		Code:    refuse.NotAWorktree,
		Message: fmt.Sprintf("worktree %s is registered, and the directory %s is no worktree that git lists and that leads back to it", s.name, s.path),
		Meta:    about(s),
		Resolve: fmt.Sprintf("move its files away, or when nothing in it is needed rm -r %s; then agent-worktree prune", refuse.Shell(s.path)),
	}
}

// orphaned refuses a worktree that is registered and not to be had; what mends it
// depends on why.
func (p *Project) orphaned(s standing) error {
	switch s.why {
	case unreachable:
		return p.unreachable(s)
	case copied:
		return p.primaryCopied(s)
	case moved:
		return p.primaryMoved(s)
	}
	unlock := p.unlocking(s.path)
	return &refuse.Refusal{
		Code:    refuse.Orphaned,
		Message: fmt.Sprintf("worktree %s is registered, and its directory %s is gone", s.name, s.path),
		Meta:    about(s),
		Resolve: fmt.Sprintf("if it was moved, run %sgit worktree repair <new place> && git worktree move <new place> %s; if it is gone for good, run %sagent-worktree prune",
			unlock, refuse.Shell(s.path), unlock),
	}
}

func (p *Project) unreachable(s standing) error {
	why := "its directory and that one's parent are missing, as on a disk that is not mounted"
	act := fmt.Sprintf("bring it back; or, when it is gone for good, mkdir -p %s && agent-worktree prune", refuse.Shell(filepath.Dir(s.path)))
	if s.there {
		why = "another repository's directory stands at its place"
		act = fmt.Sprintf("move %s away, then agent-worktree prune", refuse.Shell(s.path))
	}
	if s.at != "" {
		to := refuse.Shell(s.path)
		why = "git has it at " + s.at + " now"
		act = fmt.Sprintf("%sgit worktree repair %s && mkdir -p %s && git worktree move %s %s",
			p.unlocking(s.at), refuse.Shell(s.at), refuse.Shell(filepath.Dir(s.path)), refuse.Shell(s.at), to)
	}
	return &refuse.Refusal{
		Code:    refuse.Unreachable,
		Message: fmt.Sprintf("worktree %s at %s cannot be reached: %s", s.name, s.path, why),
		Meta:    about(s, refuse.Fact{Key: "reason", Value: why}),
		Resolve: act,
	}
}

func (p *Project) primaryCopied(s standing) error {
	return &refuse.Refusal{
		Code:    refuse.PrimaryCopied,
		Message: fmt.Sprintf("worktree %s belongs to the clone at %s, of which this one is a copy", s.name, s.entry.Primary),
		Meta:    about(s, refuse.Fact{Key: "primary", Value: s.entry.Primary}),
		Resolve: fmt.Sprintf("work in %s, or run agent-worktree prune here, which only drops this copy's own record", refuse.Shell(s.entry.Primary)),
	}
}

func (p *Project) primaryMoved(s standing) error {
	old, to := refuse.Shell(s.entry.Path), refuse.Shell(p.store.Path(s.name))
	act := fmt.Sprintf("move the clone back; or %sgit worktree repair %s && mkdir -p %s && git worktree move %s %s && cd %s && agent-worktree init",
		p.unlocking(s.entry.Path), old, refuse.Shell(p.store.Dir()), old, to, to)
	if !exists(s.entry.Path) {
		act = "move the clone back to " + refuse.Shell(s.entry.Primary) + ", and run agent-worktree prune there"
	}
	return &refuse.Refusal{
		Code:    refuse.PrimaryMoved,
		Message: fmt.Sprintf("worktree %s was made from %s, and this clone was moved since", s.name, s.entry.Primary),
		Meta:    about(s, refuse.Fact{Key: "primary", Value: s.entry.Primary}, refuse.Fact{Key: "at", Value: s.entry.Path}),
		Resolve: act,
	}
}

// legacyLocation names both acts: keep it at its place in the store, or drop it.
func (p *Project) legacyLocation(s standing) error {
	to, unlock := p.store.Path(s.name), p.unlocking(s.path)
	return &refuse.Refusal{
		Code:    refuse.LegacyLocation,
		Message: fmt.Sprintf("worktree %s is at %s, where earlier releases kept worktrees", s.name, s.path),
		Meta:    about(s, refuse.Fact{Key: "at", Value: to}),
		Resolve: fmt.Sprintf("keep it: %smkdir -p %s && git worktree move %s %s && cd %s && agent-worktree init; or drop it: %sgit worktree remove %s && agent-worktree prune",
			unlock, refuse.Shell(filepath.Dir(to)), refuse.Shell(s.path), refuse.Shell(to), refuse.Shell(to), unlock, refuse.Shell(s.path)),
	}
}

func caseCollision(name, other, path string) error {
	return &refuse.Refusal{
		Code:    refuse.CaseCollision,
		Message: fmt.Sprintf("%s differs only in case from %s, and they are one on a file system that folds case", name, other),
		Meta:    refuse.Meta{{Key: "name", Value: name}, {Key: "existing", Value: other}, {Key: "path", Value: path}},
		Resolve: "use " + other + ", or choose another name",
	}
}
