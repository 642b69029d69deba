package task

import (
	"context"

	"github.com/cniska/agent-worktree/lib/hooks"
)

// InstallOptions name the hooks to write; those that are nil or empty are left alone.
type InstallOptions struct {
	Local    bool     // into the clone's common directory instead of the checkout
	Setup    *string  // shell command
	Teardown *string  // shell command
	Ports    *string  // how many ports each worktree needs, 1 to 1000
	Keep     []string // gitignore-style patterns
	Trust    bool     // record this checkout's hooks as trusted
}

// Install writes the named hooks and returns their absolute paths, in the order setup,
// teardown, ports, keep. It stages and commits nothing.
func (p *Project) Install(ctx context.Context, o InstallOptions) ([]string, error) {
	place := hooks.Place{Checkout: p.Top, Common: p.Common}
	folder := place.Committed()
	if o.Local {
		folder = place.Local()
	}
	var written []string
	write := func(kind hooks.Kind, body ...string) error {
		path, err := hooks.Write(folder, kind, body...)
		if err == nil {
			written = append(written, path)
		}
		return err
	}
	if o.Setup != nil {
		if err := write(hooks.Setup, *o.Setup); err != nil {
			return nil, err
		}
	}
	if o.Teardown != nil {
		if err := write(hooks.Teardown, *o.Teardown); err != nil {
			return nil, err
		}
	}
	if o.Ports != nil {
		if err := write(hooks.Ports, *o.Ports); err != nil {
			return nil, err
		}
	}
	if len(o.Keep) > 0 {
		if err := write(hooks.Keep, o.Keep...); err != nil {
			return nil, err
		}
	}
	return written, nil
}
