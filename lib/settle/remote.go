package settle

import (
	"context"
	"errors"
	"sync"

	"github.com/cniska/agent-worktree/lib/git"
)

// ErrNoRemote is that no remote of the name is configured with a URL.
var ErrNoRemote = errors.New("no such remote")

// ErrNoDefault is that the remote has no default branch, as an empty one has none.
var ErrNoDefault = errors.New("the remote has no default branch")

// Unreachable is a remote that could not be asked or fetched from.
type Unreachable struct {
	Remote string
	Detail string // one line: git's own words, or that the time ran out; no URL's secrets
}

func (u *Unreachable) Error() string {
	return "remote " + u.Remote + " cannot be reached: " + u.Detail
}

// A Base is a remote's default branch as the remote has it now, and here in full.
type Base struct {
	Ref      string            // full name on the remote: refs/heads/main
	Commit   string            // its tip
	Heads    map[string]string // the remote's branches, tips by full ref name
	Tracking string            // the ref under refs/remotes/ that the configured refspec maps Ref to, or ""
	Fetched  string            // this process's own ref that holds Commit, "" when nothing was fetched; Close deletes it
}

// Base reads the remote's default branch and fetches it where it is not here yet. The
// errors are ErrNoRemote, ErrNoDefault (with Heads) and *Unreachable; any other is an
// accident. A second call costs nothing.
func (j *Judge) Base(ctx context.Context, remote string) (Base, error) {
	r, err := j.read(ctx, remote)
	if err != nil {
		return Base{Heads: r.Heads}, err
	}
	b := Base{Ref: r.Default, Commit: r.commit, Heads: r.Heads, Tracking: r.tracking}
	if r.fetched {
		b.Fetched = git.Fetched(remote)
	}
	return b, nil
}

// A reading is what one remote said, once a command.
type reading struct {
	git.Remote
	commit   string // the default branch's tip, whole in this clone
	tracking string // its tracking ref, "" when none
	fetched  bool   // into git.Fetched
}

// read asks the remote once, however many callers there are.
func (j *Judge) read(ctx context.Context, remote string) (reading, error) {
	return j.reader(ctx, remote)()
}

func (j *Judge) reader(ctx context.Context, remote string) func() (reading, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	once := j.reads[remote]
	if once == nil {
		once = sync.OnceValues(func() (reading, error) { return j.ask(ctx, remote) })
		j.reads[remote] = once
	}
	return once
}

// Ahead asks the remote beside whatever the caller does until it needs the answer.
// Where it turns out not to, Close stops the asking.
func (j *Judge) Ahead(ctx context.Context, remote string) {
	ctx, stop := context.WithCancel(ctx)
	j.mu.Lock()
	j.stops = append(j.stops, stop)
	j.mu.Unlock()
	go j.reader(ctx, remote)()
}

// AheadOf is Ahead for the remote that judges the branch.
func (j *Judge) AheadOf(ctx context.Context, branch string) {
	if config, err := j.settings(ctx); err == nil {
		if u := upstreamOf(config, branch); !u.nameless {
			j.Ahead(ctx, u.remote)
		}
	}
}

func (j *Judge) ask(ctx context.Context, remote string) (reading, error) {
	// The configuration is read beside the answer where a look into its file says that
	// there is such a remote. One that has no URL after all is none, whatever was answered:
	// git takes a name that is no remote's for a path.
	asking, stop := context.WithCancel(ctx)
	defer stop()
	answer := sync.OnceValues(func() (git.Remote, error) { return j.repo.Remote(asking, remote) })
	early := j.repo.MentionsRemote(remote)
	if early {
		go answer()
	}
	config, err := j.settings(ctx)
	if err == nil && !hasURL(config, remote) {
		err = ErrNoRemote
	}
	if err != nil {
		if stop(); early {
			answer() // nothing goes on behind the caller
		}
		return reading{}, err
	}
	said, err := answer()
	if err != nil {
		return reading{}, unreachable(remote, err)
	}
	r := reading{Remote: said}
	tip := said.Tip()
	if !git.IsID(tip) {
		return r, ErrNoDefault
	}
	r.tracking = trackingRef(config, remote, said.Default)
	if j.has(ctx, r.tracking, tip) {
		r.commit = tip
		return r, nil
	}
	return j.fetch(ctx, remote, r)
}

func (j *Judge) fetch(ctx context.Context, remote string, r reading) (reading, error) {
	commit, err := j.repo.Fetch(ctx, remote, r.Default)
	if err != nil {
		return r, unreachable(remote, err)
	}
	if commit == "" {
		return r, &Unreachable{Remote: remote, Detail: "what was fetched is no commit"}
	}
	r.commit, r.fetched = commit, true
	return r, nil
}

// has tells whether the tip is here in full: at the tracking ref, or below any ref.
// That the object exists would not be enough.
func (j *Judge) has(ctx context.Context, tracking, tip string) bool {
	if tracking != "" && j.repo.FileRef(tracking) == tip { // the usual case, in no process
		return true
	}
	return j.repo.Holds(ctx, tip)
}

// unreachable turns git's failure into an *Unreachable; an interrupt stays what it is.
func unreachable(remote string, err error) error {
	var failed *git.Error
	if errors.As(err, &failed) {
		return &Unreachable{Remote: remote, Detail: failed.Detail()}
	}
	return err
}
