package task

import "github.com/cniska/agent-worktree/lib/place"

// Path is where the worktree of that name lives or would live, registered or not.
func (p *Project) Path(name string) (string, error) {
	if err := place.CheckName(name); err != nil {
		return "", err
	}
	if err := p.store.Check(p.store.Dir()); err != nil {
		note(p.Stderr, "%s", err)
	}
	return p.store.Path(name), nil
}
