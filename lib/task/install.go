package task

import (
	"context"
	"slices"

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
// teardown, ports, keep. It stages and commits nothing. With Trust it then records the
// checkout's setup and ports hooks as read by a person, and returns those too.
func (p *Project) Install(ctx context.Context, o InstallOptions) ([]string, error) {
	place := hooks.Place{Checkout: p.Top, Common: p.Common}
	folder := place.Committed()
	if o.Local {
		folder = place.Local()
	}
	written := []string{}
	for _, h := range o.hooks() {
		path, err := hooks.Write(folder, h.kind, h.body...)
		if err != nil {
			return nil, err
		}
		written = append(written, path)
	}
	if !o.Trust {
		return written, nil
	}
	trusted, err := p.trust(ctx)
	for _, path := range trusted {
		if !slices.Contains(written, path) {
			written = append(written, path)
		}
	}
	return written, err
}

// A wanted hook is one to write.
type wanted struct {
	kind hooks.Kind
	body []string
}

// hooks are those to write, in their order.
func (o InstallOptions) hooks() []wanted {
	var list []wanted
	add := func(kind hooks.Kind, body *string) {
		if body != nil {
			list = append(list, wanted{kind, []string{*body}})
		}
	}
	add(hooks.Setup, o.Setup)
	add(hooks.Teardown, o.Teardown)
	add(hooks.Ports, o.Ports)
	if len(o.Keep) > 0 {
		list = append(list, wanted{hooks.Keep, o.Keep})
	}
	return list
}
