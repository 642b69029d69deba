package git

import (
	"context"
	"os"
	"path/filepath"
)

// LayoutSettings reads the settings that decide where a clone's checkout is, from
// its own configuration files alone, which works where git would refuse the clone.
func (r *Repo) LayoutSettings(ctx context.Context) (Config, error) {
	all := Config{}
	for _, file := range []string{"config", "config.worktree"} {
		path := filepath.Join(r.Common, file)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		// The directory is the common one's parent only as a place to stand.
		answer, err := r.Run(ctx, Call{Dir: "/", OK: []int{1}, Args: []string{"config", "--file", path, "--includes", "-z",
			"--get-regexp", `^(core\.(bare|worktree)|extensions\.worktreeconfig)$`}})
		if err != nil {
			return nil, err
		}
		for key, values := range parseConfig(string(answer.Stdout)) {
			all[key] = append(all[key], values...)
		}
		if on, _ := Bool(all.Get("extensions.worktreeconfig")); !on {
			break
		}
	}
	return all, nil
}

// Usable asks git whether it works with the repository at all: an owner it does not
// trust or an extension it does not know is its own error.
func (r *Repo) Usable(ctx context.Context) error {
	_, err := r.read(ctx, "rev-parse", "--is-bare-repository")
	return err
}
