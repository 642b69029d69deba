package task

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/store"
)

// repairAct is what the reason column says of a worktree whose repository is not where
// its .git file says.
const repairAct = "run git worktree repair from the checkout"

// ListAll lists the worktrees of every project under the data directory, by project and
// name, from anywhere. What is there and no project's is listed too and never touched.
// No link is followed.
func ListAll(ctx context.Context, w World, o ListOptions) (Listing, error) {
	a := &everything{world: w, o: o, projects: map[string]*Project{}}
	var err error
	if a.data, err = place.Data(w.Env); err != nil {
		return Listing{}, err
	}
	if err := a.walk(ctx); err != nil {
		return Listing{}, err
	}
	if err := a.list(ctx); err != nil {
		return Listing{}, err
	}
	slices.SortStableFunc(a.rows, func(x, y *listRow) int {
		// Those of no project come last.
		return cmp.Or(boolCompare(x.project == "", y.project == ""), cmp.Compare(x.project, y.project), cmp.Compare(x.name, y.name))
	})
	return o.listing(a.rows, o.Outside, true), nil
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// everything is one walk through the data directory.
type everything struct {
	world    World
	o        ListOptions
	data     string
	projects map[string]*Project // by common directory; nil for one that cannot be opened
	found    []stranger
	rows     []*listRow
}

// A stranger is a directory below the data directory, until a project lists it.
type stranger struct {
	path   string
	common string // what its .git leads to, "" for none
	linked bool   // it has a .git file, as worktrees have
}

// walk looks at every directory of the data directory and finds the projects.
func (a *everything) walk(ctx context.Context) error {
	if p, err := Open(ctx, a.world); err == nil {
		a.projects[p.Common] = p
	}
	keys, err := os.ReadDir(a.data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	claimed := a.claimants()
	for _, key := range keys {
		if store.Own(key.Name()) || !key.IsDir() && key.Type()&fs.ModeSymlink == 0 {
			continue
		}
		path := filepath.Join(a.data, key.Name())
		commons := append(a.look(path, key.IsDir()), claimed[key.Name()]...)
		for _, common := range commons {
			a.open(ctx, common)
		}
	}
	return nil
}

// look notes what stands in one project's directory, and which repositories it leads
// to. A directory with no worktree in it is itself what is listed.
func (a *everything) look(dir string, isDir bool) (commons []string) {
	var inside []stranger
	if isDir {
		names, _ := os.ReadDir(dir)
		if len(names) == 0 {
			return nil // a project all of whose worktrees are gone
		}
		for _, name := range names {
			s := stranger{path: filepath.Join(dir, name.Name())}
			if link := git.Link(s.path); name.IsDir() && link != "" {
				s.linked, s.common = true, liveCommon(link)
			}
			inside = append(inside, s)
			if s.common != "" {
				commons = append(commons, s.common)
			}
		}
	}
	if !slices.ContainsFunc(inside, func(s stranger) bool { return s.linked }) {
		inside = []stranger{{path: dir}}
	}
	a.found = append(a.found, inside...)
	return commons
}

// liveCommon is the common directory of the git directory, "" where either is gone.
func liveCommon(gitDir string) string {
	common := git.CommonOf(gitDir)
	if info, err := os.Lstat(common); err != nil || !info.IsDir() {
		return ""
	}
	return common
}

// claimants are the repositories that hold port blocks, by their project's key: a
// project whose worktrees are all gone has nothing else here that leads to it.
func (a *everything) claimants() map[string][]string {
	claims, _ := ports.Store{Dir: store.Store{Data: a.data}.Ports()}.All()
	byKey := map[string][]string{}
	for _, c := range claims {
		common := filepath.Dir(filepath.Dir(c.Entry))
		if c.Err == nil && filepath.Base(common) == ".git" {
			key := place.Key(filepath.Dir(common))
			byKey[key] = append(byKey[key], common)
		}
	}
	return byKey
}

// open opens the project of a common directory once. One that is there and cannot be
// opened is noted; the rest is listed all the same.
func (a *everything) open(ctx context.Context, common string) {
	if _, seen := a.projects[common]; seen || filepath.Base(common) != ".git" || !exists(common) {
		return
	}
	w := a.world
	w.Dir = filepath.Dir(common)
	p, err := Open(ctx, w)
	if err == nil && p.Common != common {
		err = errors.New("another repository stands there")
	}
	if err != nil {
		note(a.world.Stderr, "the worktrees of %s cannot be listed: %s", w.Dir, err)
		p = nil
	}
	a.projects[common] = p
}

// list lists every project, and then what none of them has listed.
func (a *everything) list(ctx context.Context) error {
	listed := map[string]bool{}
	for _, common := range slices.Sorted(maps.Keys(a.projects)) {
		p := a.projects[common]
		if p == nil {
			continue
		}
		p.noteStore()
		rows, err := p.rowsOf(ctx, a.o)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			note(a.world.Stderr, "the worktrees of %s cannot be listed: %s", p.Primary, err)
			continue
		}
		a.rows = append(a.rows, rows...)
		for _, r := range rows {
			listed[r.path] = true
			if r.entry != nil {
				listed[r.entry.Path] = true
			}
		}
		listed[p.store.Dir()] = true
	}
	for _, s := range a.found {
		if !listed[s.path] {
			a.rows = append(a.rows, s.row(a.o))
		}
	}
	return nil
}

// row lists a directory that is no project's.
func (s stranger) row(o ListOptions) *listRow {
	st := standing{name: filepath.Base(s.path), path: s.path, state: Foreign, there: true}
	r := &listRow{sweepRow: &sweepRow{standing: st, reason: string(Foreign)}, size: -1}
	if s.linked && s.common == "" {
		r.state, r.reason, r.act = Lost, string(Lost), repairAct
	}
	if o.asks("size") {
		r.size = diskUse(s.path)
	}
	return r
}
