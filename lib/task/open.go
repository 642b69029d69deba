// Package task is the verbs: what happens to a task's worktree from its making to its
// removal. Each verb is one file with one exported method. It returns values and
// refusals and prints no result; notes and what project hooks print go to World.Stderr.
package task

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

// A World is what a verb knows of the process it runs in.
type World struct {
	Dir      string    // working directory, absolute; "" when it is gone
	Env      []string  // the caller's environment, handed to project hooks
	Stdin    io.Reader // read by hook alone
	Stderr   io.Writer // notes, and what project hooks print
	Terminal bool      // Stderr is a terminal

	// Later starts the program again, with these arguments, to call Slim, and does not
	// wait; nil where it cannot do that.
	Later func(args ...string) error
}

// A Project is one clone as the verbs see it.
type Project struct {
	World
	place.Layout
	repo   *git.Repo
	ledger ledger.Ledger
	store  store.Store
	ports  ports.Store
	busy   *guard.Recent
}

// Open finds the project of the checkout the world's directory is in. It refuses as
// not_a_checkout and unsupported_layout. It starts git only where the configuration
// holds settings that only git can judge.
func Open(ctx context.Context, w World) (*Project, error) {
	layout, err := place.Find(w.Dir)
	if err != nil {
		return nil, inTrash(w, err)
	}
	data, err := place.Data(w.Env)
	if err != nil {
		return nil, err
	}
	s := store.Store{Data: data, Key: place.Key(layout.Primary)}
	p := &Project{
		World:  w,
		Layout: layout,
		repo:   &git.Repo{Git: git.New(w.Env, w.Stderr, w.Terminal), Primary: layout.Primary, Common: layout.Common},
		ledger: ledger.At(layout.Common),
		store:  s,
		ports:  ports.Store{Dir: s.Ports()},
		busy:   &guard.Recent{},
	}
	p.repo.Stuck, p.repo.Killed = p.unstick, p.gitKilled
	if layout.AskGit {
		err = p.askGit(ctx)
	}
	return p, err
}

// askGit judges a configuration that a literal scan cannot: git's own refusal of the
// repository is passed on in its words.
func (p *Project) askGit(ctx context.Context) error {
	settings, err := p.repo.LayoutSettings(ctx)
	if err != nil {
		return err
	}
	if bare, _ := git.Bool(settings.Get("core.bare")); bare {
		return p.Unsupported("core.bare is true though it has files", "core.bare",
			"git -C "+refuse.Shell(p.Primary)+" config core.bare false")
	}
	if tree := settings.Get("core.worktree"); tree != "" && !p.isPrimary(tree) {
		return p.Unsupported("core.worktree is "+tree, "core.worktree",
			"git --git-dir="+refuse.Shell(p.Common)+" config --unset-all core.worktree")
	}
	return p.repo.Usable(ctx)
}

// isPrimary tells whether core.worktree, relative to the git directory, is the
// primary checkout all the same.
func (p *Project) isPrimary(tree string) bool {
	if !filepath.IsAbs(tree) {
		tree = filepath.Join(p.Common, tree)
	}
	return place.Real(tree) == p.Primary
}

// note writes one line of the tool's own to out.
func note(out io.Writer, format string, args ...any) {
	fmt.Fprintf(out, "agent-worktree: %s\n", refuse.Visible(fmt.Sprintf(format, args...)))
}

// fold tells whether two names are one on a file system that folds case.
func fold(a, b string) bool { return a != b && strings.EqualFold(a, b) }

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// short is an object id as a note shows it.
func short(id string) string { return id[:min(len(id), 10)] }
