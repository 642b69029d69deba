// Package settle owns what becomes of a branch: whether it has landed on its remote's
// default branch, as the remote has it now, and the deletion of one that has, here and
// there. It also brings the default branch that create cuts from.
//
// A Judge reads the configuration once and each remote once, fetches at most that
// remote's default branch, and pushes at most once to each. It prints nothing.
package settle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// The outcomes of a branch. Every one but Deleted keeps it.
const (
	Deleted           = "deleted"
	Unmerged          = "unmerged"
	TracksDefault     = "tracks_default"
	NoRemote          = "no_remote"
	NoDefaultBranch   = "no_default_branch"
	RemoteUnreachable = "remote_unreachable"
	RemoteBranchAhead = "remote_branch_ahead"
	RemoteBranchKept  = "remote_branch_kept"
	CheckedOut        = "checked_out"
)

// How a branch landed.
const (
	Merged       = "merged"
	SquashMerged = "squash-merged"
)

// atOnce is how many remotes are reached side by side.
const atOnce = 8

// origin is the remote of a branch that names none.
const origin = "origin"

// heads is where branches live.
const heads = "refs/heads/"

// A Judge serves one command. It may be used by several goroutines.
type Judge struct {
	repo   *git.Repo
	mu     sync.Mutex
	config func() (git.Config, error)
	reads  map[string]func() (reading, error) // by remote name
	stops  []context.CancelFunc               // of what was asked ahead
}

// New is a Judge for the clone. It starts nothing.
func New(repo *git.Repo) *Judge {
	return &Judge{repo: repo, reads: map[string]func() (reading, error){}}
}

// settings is the configuration, read once.
func (j *Judge) settings(ctx context.Context) (git.Config, error) {
	j.mu.Lock()
	if j.config == nil {
		j.config = sync.OnceValues(func() (git.Config, error) { return j.repo.Config(ctx) })
	}
	read := j.config
	j.mu.Unlock()
	return read()
}

// Options narrow what Settle deletes.
type Options struct {
	// KeepRemote leaves remote branches alone, and what they hold out of the
	// judgement. git config agent-worktree.deleteRemoteBranch false does the same.
	KeepRemote bool
}

const deleteRemoteKey = "agent-worktree.deleteRemoteBranch"

// Check refuses a configuration that the settling of a branch would refuse, as
// refuse.InvalidConfig, so that a caller can know before it removes anything.
func (j *Judge) Check(ctx context.Context) error {
	_, err := j.keepsRemote(ctx, Options{})
	return err
}

func (j *Judge) keepsRemote(ctx context.Context, o Options) (bool, error) {
	config, err := j.settings(ctx)
	if err != nil {
		return false, err
	}
	values := config["agent-worktree.deleteremotebranch"]
	if len(values) == 0 {
		return o.KeepRemote, nil
	}
	value := values[len(values)-1]
	yes, ok := git.Bool(value)
	if !ok {
		return false, &refuse.Refusal{
			Code:    refuse.InvalidConfig,
			Message: fmt.Sprintf("%s is %q, which is no boolean", deleteRemoteKey, refuse.Visible(value)),
			Meta:    refuse.Meta{{Key: "key", Value: deleteRemoteKey}, {Key: "value", Value: value}},
			Resolve: "git config --replace-all " + deleteRemoteKey + " false",
		}
	}
	return o.KeepRemote || !yes, nil
}

// shallow tells whether the clone's history is cut off.
func (j *Judge) shallow() bool {
	info, err := os.Stat(filepath.Join(j.repo.Common, "shallow"))
	return err == nil && info.Size() > 0
}
