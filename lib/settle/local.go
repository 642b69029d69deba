package settle

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// tracking is where the copies of remotes' branches live.
const tracking = "refs/remotes/"

// Local is a Judge that reaches no remote: each is taken to be as this clone's
// remote-tracking refs have it. A remote branch that was never fetched, or that a fetch
// pruned, counts as one that the remote does not have.
func Local(ctx context.Context, repo *git.Repo) (*Judge, error) {
	j := New(repo)
	config, err := j.settings(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := repo.Refs(ctx, tracking)
	if err != nil {
		return nil, err
	}
	for key := range config {
		name, ok := strings.CutPrefix(key, "remote.")
		if name, url := strings.CutSuffix(name, ".url"); ok && url && hasURL(config, name) {
			j.reads[name] = func() (reading, error) { return j.asTracked(name, refs) }
		}
	}
	return j, nil
}

// asTracked is what the remote said when it was last fetched from.
func (j *Judge) asTracked(remote string, refs map[string]string) (reading, error) {
	below := tracking + remote + "/"
	r := reading{Remote: git.Remote{Heads: map[string]string{}}}
	for ref, id := range refs {
		if name, ok := strings.CutPrefix(ref, below); ok && name != "HEAD" {
			r.Heads[heads+name] = id
		}
	}
	r.Default = heads + j.defaultOf(remote, r.Heads)
	if r.commit = r.Tip(); r.commit == "" {
		r.Default = ""
		return r, ErrNoDefault
	}
	r.tracking = below + strings.TrimPrefix(r.Default, heads)
	return r, nil
}

// defaultOf is the short name of the remote's default branch: what a clone or a
// `git remote set-head` recorded, or else main or master where there is only one.
func (j *Judge) defaultOf(remote string, known map[string]string) string {
	file := filepath.Join(j.repo.Common, filepath.FromSlash(tracking+remote), "HEAD")
	if data, err := git.ReadSmall(file); err == nil {
		if name, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: "+tracking+remote+"/"); ok {
			return name
		}
	}
	usual := ""
	for _, name := range []string{"main", "master"} {
		if known[heads+name] != "" {
			if usual != "" {
				return ""
			}
			usual = name
		}
	}
	return usual
}

// HasUpstream tells whether the branch has an upstream on a remote.
func (j *Judge) HasUpstream(ctx context.Context, branch string) (bool, error) {
	config, err := j.settings(ctx)
	return err == nil && upstreamOf(config, branch).set, err
}

// Into is the commit of the default branch that the branch would be judged against, ""
// where its remote has none or does not answer.
func (j *Judge) Into(ctx context.Context, branch string) (string, error) {
	config, err := j.settings(ctx)
	if err != nil {
		return "", err
	}
	u := upstreamOf(config, branch)
	if u.nameless {
		return "", nil
	}
	r, err := j.read(ctx, u.remote)
	var lost *Unreachable
	if errors.Is(err, ErrNoRemote) || errors.Is(err, ErrNoDefault) || errors.As(err, &lost) {
		return "", nil
	}
	return r.commit, err
}

// BranchSettings are the branch's own settings as key=value, as git config --add takes
// them apart.
func (j *Judge) BranchSettings(ctx context.Context, branch string) ([]string, error) {
	config, err := j.settings(ctx)
	var list []string
	for _, name := range []string{"remote", "merge", "rebase", "pushremote", "description"} {
		key := "branch." + branch + "." + name
		for _, value := range config[key] {
			list = append(list, key+"="+value)
		}
	}
	return list, err
}

// Setting is the last value of a configuration key, in lower case, of those that the
// Judge reads (agent-worktree.* among them), and whether it is set.
func (j *Judge) Setting(ctx context.Context, key string) (value string, set bool, err error) {
	config, err := j.settings(ctx)
	return config.Get(key), len(config[key]) > 0, err
}
