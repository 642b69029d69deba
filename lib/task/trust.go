package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

const (
	trustKey    = "agent-worktree.trust"
	mostTrusted = 500 // hooks on record, the newest
)

// vet looks at a hook that a branch brings before it counts. A branch that this tool did
// not cut from the project's own line may be a stranger's: where its hook is not the primary's, a note says so, and
// under strict trust it is refused unless a person recorded it. Under strict trust the
// script is what was looked at, and what has to run; else it is nil.
func (j *job) vet(ctx context.Context, kind hooks.Kind, hook string) (*hooks.Script, error) {
	if j.name == "" || j.entry == nil || filepath.Dir(hook) != j.hookPlace().Committed() {
		return nil, nil
	}
	script, err := hooks.Read(hook)
	if err != nil {
		return nil, err
	}
	same := j.primarySum(kind) == script.Sum
	if j.entry.Cut && (same || j.cutAtHome(ctx)) {
		return nil, nil
	}
	strict, err := j.strict(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case !strict && same:
		return nil, nil
	case !strict:
		note(j.out, "branch %s may come from elsewhere: its %s hook differs from the primary checkout's", j.branchNow(), kind)
		return nil, nil
	case same || j.trusts(kind, script.Sum):
		return &script, nil
	}
	return nil, j.untrusted(kind, script)
}

// cutAtHome tells whether the branch was cut from a commit that the primary checkout or
// origin's default branch has: what it brings since was made here.
func (j *job) cutAtHome(ctx context.Context) bool {
	home := []string{"HEAD", "refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"}
	for _, ref := range home {
		commit, err := j.repo.Resolve(ctx, ref)
		if err != nil || commit == "" {
			continue
		}
		if in, err := j.repo.Ancestor(ctx, j.entry.Base, commit); err == nil && in {
			return true
		}
	}
	return false
}

// primarySum names the content of the primary's own hook, "" when it has none.
func (p *Project) primarySum(kind hooks.Kind) string {
	script, err := hooks.Read(filepath.Join(hooks.Place{Checkout: p.Primary}.Committed(), string(kind)))
	if err != nil {
		return ""
	}
	return script.Sum
}

// strict tells whether hooks that nobody vouches for are refused. A value that means
// nothing is refused as well: it was meant to protect.
func (p *Project) strict(ctx context.Context) (bool, error) {
	config, err := p.repo.Config(ctx)
	if err != nil {
		return false, err
	}
	switch value := config.Get(trustKey); strings.ToLower(value) {
	case "strict":
		return true, nil
	case "":
		return false, nil
	default:
		return false, &refuse.Refusal{
			Code:    refuse.InvalidConfig,
			Message: fmt.Sprintf("%s is \"%s\", and only strict means anything there", trustKey, refuse.Visible(value)),
			Meta:    refuse.Meta{{Key: "key", Value: trustKey}, {Key: "value", Value: value}},
			Resolve: "git config --replace-all " + trustKey + " strict",
		}
	}
}

func (j *job) untrusted(kind hooks.Kind, script hooks.Script) error {
	path := j.store.Path(j.name)
	return &refuse.Refusal{
		Code: refuse.UntrustedHook,
		Message: fmt.Sprintf("the %s hook of worktree %s is not the primary checkout's, and nobody vouched for it: %s",
			kind, j.name, script.Path),
		Meta: refuse.Meta{{Key: "name", Value: j.name}, {Key: "path", Value: path}, {Key: "branch", Value: j.branchNow()},
			{Key: "hook", Value: script.Path}, {Key: "sha256", Value: script.Sum}},
		Resolve: "read it, then cd " + refuse.Shell(path) + " && agent-worktree install --trust",
	}
}

// trustFile is where the hooks that a person vouched for are on record: a line each of
// SHA-256 and name.
func (p *Project) trustFile() string { return filepath.Join(p.ledger.Dir, ".trusted") }

// trusts tells whether a hook of that name and content is on record.
func (p *Project) trusts(kind hooks.Kind, sum string) bool {
	return slices.Contains(p.trusted(), sum+" "+string(kind))
}

// trusted are the lines on record; none where the file is not ours alone to write.
func (p *Project) trusted() []string {
	info, err := os.Lstat(p.trustFile())
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 || !store.Owned(p.trustFile()) {
		return nil
	}
	data, err := git.ReadSmall(p.trustFile())
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// trust records the setup and ports hooks of the checkout the command runs in, and
// returns their paths.
func (p *Project) trust(ctx context.Context) ([]string, error) {
	var paths, lines []string
	for _, kind := range []hooks.Kind{hooks.Setup, hooks.Ports} {
		path := filepath.Join(hooks.Place{Checkout: p.Top}.Committed(), string(kind))
		if !exists(path) {
			continue
		}
		script, err := hooks.Read(path)
		if err != nil {
			return nil, err
		}
		paths, lines = append(paths, path), append(lines, script.Sum+" "+string(kind))
	}
	if len(paths) == 0 {
		note(p.Stderr, "%s has no setup and no ports hook to trust", p.Top)
		return nil, nil
	}
	lock, err := p.ledger.Repository(ctx)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	old := slices.DeleteFunc(p.trusted(), func(line string) bool { return slices.Contains(lines, line) })
	all := append(old, lines...)
	return paths, p.writeTrusted(all[max(0, len(all)-mostTrusted):])
}

// writeTrusted replaces the record whole.
func (p *Project) writeTrusted(lines []string) error {
	tmp, err := fault.CreateTemp(p.ledger.Dir, ".tmp-*") // 0600
	if err != nil {
		return err
	}
	defer fault.Remove(tmp.Name())
	_, err = tmp.WriteString(strings.Join(lines, "\n") + "\n")
	if err := errors.Join(err, fault.Sync(tmp), tmp.Close()); err != nil {
		return err
	}
	return fault.Rename(tmp.Name(), p.trustFile())
}
