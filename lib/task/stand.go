package task

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

// A State is how a worktree stands.
type State string

// The states `ls` counts, in its order, and those that only some options show.
const (
	Ready     State = "ready"
	Pending   State = "pending"
	Orphaned  State = "orphaned"
	Unlisted  State = "unlisted"
	Unmanaged State = "unmanaged"
	Legacy    State = "legacy"
	Corrupt   State = "corrupt"
	Outside   State = "outside"
	Lost      State = "lost"
	Foreign   State = "foreign"
	absent    State = "" // neither registered nor there
)

// Why an orphaned worktree is one.
const (
	gone        = "gone"        // its directory was deleted
	unreachable = "unreachable" // its disk may only be away, or another repository's directory is there
	copied      = "copied"      // this clone is a copy; the worktree is the original's
	moved       = "moved"       // this clone was moved since
)

// A standing is what is known of one name before anything is done about it.
type standing struct {
	name   string
	path   string        // where it is: its place in the store, or the earlier location
	entry  *ledger.Entry // nil when it is not registered
	err    error         // the entry's file cannot be read
	state  State
	why    string       // of an orphaned one
	at     string       // where git has it instead, when it was moved
	listed bool         // git lists it
	tree   git.Worktree // git's record, when it lists it
	there  bool         // something is at path
	owner  store.Owner  // whose worktree that is
}

// A lister finds git's record of the worktree at a path.
type lister func(path string) (git.Worktree, bool)

// listing asks git for its worktrees once and finds records in the answer.
func (p *Project) listing(ctx context.Context) ([]git.Worktree, lister, error) {
	list, err := p.repo.Worktrees(ctx)
	if err != nil {
		return nil, nil, err
	}
	byPath := make(map[string]git.Worktree, len(list))
	for _, w := range list {
		byPath[w.Path] = w
	}
	// Only a path that git spells another way than we do needs its links resolved.
	byReal := sync.OnceValue(func() map[string]git.Worktree { return realPaths(list) })
	return list, func(path string) (git.Worktree, bool) {
		w, ok := byPath[path]
		if !ok {
			w, ok = byReal()[path]
		}
		return w, ok
	}, nil
}

// realPaths are the records whose path leads through a link, by where it leads.
func realPaths(list []git.Worktree) map[string]git.Worktree {
	byReal := map[string]git.Worktree{}
	for _, w := range list {
		if real, err := filepath.EvalSymlinks(w.Path); err == nil && real != w.Path {
			byReal[real] = w
		}
	}
	return byReal
}

// admins finds records in git's own files, in no git process. They tell that git
// lists a worktree, and nothing of its branch.
func (p *Project) admins() (lister, error) {
	list, err := git.Admins(p.Common)
	if err != nil {
		return nil, err
	}
	byPath := map[string]git.Admin{}
	for _, a := range list {
		byPath[a.Path] = a
	}
	return func(path string) (git.Worktree, bool) {
		a, ok := byPath[path]
		return git.Worktree{Path: path, Broken: ok && a.Broken()}, ok
	}, nil
}

// standNow is how one name stands by the files alone. Where the worktree's own .git leads
// to git's record of it, the others' are not read.
func (p *Project) standNow(name string) (standing, error) {
	var failed error
	s := p.stand(name, func(path string) (git.Worktree, bool) {
		a, ok, err := git.AdminOf(p.Common, path)
		failed = errors.Join(failed, err)
		return git.Worktree{Path: path, Broken: ok && a.Broken()}, ok
	})
	return s, failed
}

// stand reads one name's entry and judges how it stands.
func (p *Project) stand(name string, find lister) standing {
	s := p.look(name)
	p.judge(&s, find)
	return s
}

// look reads what the files say of one name, before git is asked.
func (p *Project) look(name string) standing {
	s := standing{name: name, path: p.store.Path(name)}
	s.entry, s.err = p.ledger.Read(name)
	if s.there = exists(s.path); s.there {
		s.owner = store.OwnerOf(s.path, p.Common)
	}
	return s
}

// judge judges how a name stands by what was read and by git's records.
func (p *Project) judge(s *standing, find lister) {
	if s.err != nil {
		s.state = Corrupt
		return
	}
	s.tree, s.listed = find(s.path)
	switch {
	case s.entry == nil && s.there:
		s.state = Unmanaged
	case s.entry == nil:
		s.state = absent
	case p.foreignPrimary(s.entry):
		s.state, s.why = Orphaned, p.copiedOrMoved(s.entry)
	case s.entry.Setup == ledger.Making:
		s.state = Pending
	default:
		p.judgePlace(s, find)
	}
}

// judgePlace judges a registered worktree of this clone by what stands at its place.
func (p *Project) judgePlace(s *standing, find lister) {
	switch {
	case s.listed && s.there && s.owner == store.Anothers:
		s.state, s.why = Orphaned, unreachable
	case s.listed && s.there && (s.tree.Broken || s.owner != store.Ours):
		s.state = Unlisted
	case s.listed && s.there:
		s.state = Pending
		if s.entry.Setup == ledger.Finished {
			s.state = Ready
		}
	case s.listed && !exists(filepath.Dir(s.path)):
		s.state, s.why = Orphaned, unreachable
	case s.listed:
		s.state, s.why = Orphaned, gone
	case s.there:
		s.state = Unlisted
		// A removal may be over but for its branch, and something put another
		// directory there since.
		if _, _, ok, err := p.buried(s.name); ok && err == nil {
			s.state, s.why = Orphaned, gone
		}
	default:
		p.judgeEarlier(s, find)
	}
}

// judgeEarlier looks where earlier releases kept worktrees.
func (p *Project) judgeEarlier(s *standing, find lister) {
	s.state, s.why = Orphaned, gone
	earlier := p.earlierPath(s.name)
	tree, listed := find(earlier)
	if !listed {
		if s.at = p.movedTo(s.name); s.at != "" {
			s.why = unreachable
		}
		return
	}
	s.tree, s.listed, s.path = tree, true, earlier
	if s.there = exists(earlier); s.there {
		s.state, s.why = Legacy, ""
	}
}

// movedTo is where git has the worktree now when somebody moved it, "" when nowhere:
// git's directory for it keeps its name.
func (p *Project) movedTo(name string) string {
	admins, err := git.Admins(p.Common)
	if err != nil {
		return ""
	}
	for _, a := range admins {
		if filepath.Base(a.Dir) == name && a.Path != "" && a.Path != p.store.Path(name) && exists(a.Path) {
			return a.Path
		}
	}
	return ""
}

func (p *Project) earlierPath(name string) string {
	return filepath.Join(p.Primary, ".claude", "worktrees", name)
}

// foreignPrimary tells whether the entry was made from another primary path.
func (p *Project) foreignPrimary(e *ledger.Entry) bool {
	return e.Primary != "" && e.Primary != p.Primary
}

// copiedOrMoved tells which of the two happened to this clone since the entry was
// made: a copy leaves the original where the entry says.
func (p *Project) copiedOrMoved(e *ledger.Entry) string {
	if store.OwnerOf(e.Path, p.Common) == store.Anothers || exists(filepath.Join(e.Primary, ".git")) {
		return copied
	}
	return moved
}

// exists tells whether anything at all is at path, a dangling link too. What cannot be
// looked at is taken to exist.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// names are all that `ls` lists, sorted: the registered ones, and whatever else is in
// the store's directory of this project.
func (p *Project) names() ([]string, error) {
	names, err := p.ledger.Names()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, n := range names {
		seen[n] = true
	}
	dirs, err := os.ReadDir(p.store.Dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range dirs {
		if !seen[d.Name()] {
			names = append(names, d.Name())
		}
	}
	return sorted(names), nil
}

// refusal is why a verb does not work on a worktree that stands like this; nil when it
// is ready or pending.
func (p *Project) refusal(s standing) error {
	switch s.state {
	case Ready, Pending:
		return nil
	case Corrupt:
		return s.err
	case Unmanaged:
		return p.unmanaged(s)
	case Unlisted:
		return notAWorktree(s)
	case Legacy:
		return p.legacyLocation(s)
	case Orphaned:
		return p.orphaned(s)
	}
	return notRegistered(s.name)
}

func notRegistered(name string) error {
	return &refuse.Refusal{
		Code:    refuse.NotRegistered,
		Message: "no worktree " + name + " is registered",
		Meta:    refuse.Meta{{Key: "name", Value: name}},
		Resolve: "to see the registered ones, run agent-worktree ls; to make it, run agent-worktree create " + name,
	}
}
