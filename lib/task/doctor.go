package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

// Tools is the release a machine should have.
type Tools struct {
	Version string   // x.y.z, this build's own
	Names   []string // of the verbs' binaries
	Dir     string   // where this build's own tool is, absolute; "" when not known
}

// A Check is one thing that was looked at. State is ok, warn or fail; Fix is the act
// that clears the finding, "" when it is ok.
type Check struct {
	Name, State, Detail, Fix string
}

// A Report is every check, in a fixed order: the machine's, the project's, then those of
// each worktree by name.
type Report struct{ Checks []Check }

const (
	fine  = "ok"
	warns = "warn"
	fails = "fail"
)

// Doctor looks at the machine, the project and its worktrees and changes nothing. What
// is wrong is a check; only a cancelled ctx is an error.
func Doctor(ctx context.Context, w World, t Tools) (Report, error) {
	dirs := searched(w.Env)
	git, usable := checkGit(ctx, w, dirs)
	var p *Project
	var err error
	if usable {
		p, err = Open(ctx, w)
	}
	checks := []Check{git, checkTools(ctx, w, t, dirs), checkBlocks(w, usable && err == nil)}
	switch {
	case !usable:
		checks = append(checks, Check{"project", warns, "the project's checks were not run: they need a git that works",
			"clear the check git, then agent-worktree doctor"})
	case err != nil:
		checks = append(checks, notOpened(w, err))
	default:
		checks = append(checks, p.doctor(ctx)...)
	}
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	return Report{Checks: checks}, nil
}

// notOpened is the project's check where there is no project to look into.
func notOpened(w World, err error) Check {
	var f findings
	var r *refuse.Refusal
	if errors.As(err, &r) && r.Code == refuse.NotACheckout {
		f.add(warns, "no project check was run: "+r.Message, r.Resolve)
	} else {
		f.refused(fails, err, w.Dir)
	}
	return f.check("project", "")
}

// doctor is the checks of a project that could be opened. A git that cannot list its
// worktrees fails the project, and the rest goes on.
func (p *Project) doctor(ctx context.Context) []Check {
	project, standings := p.checkProject(ctx)
	checks := []Check{
		project,
		checkHook("setup-hook", hooks.Setup, hooks.Place{Checkout: p.Top, Common: p.Common}),
		checkHook("teardown-hook", hooks.Teardown, hooks.Place{Checkout: p.Primary, Common: p.Common}),
		p.checkPortsHook(),
	}
	for _, s := range standings {
		checks = append(checks, p.checkWorktree(s))
	}
	return append(checks, p.checkPorts(standings)...)
}

// checkHook looks at a hook that runs, without running it.
func checkHook(name string, kind hooks.Kind, at hooks.Place) Check {
	var f findings
	hook, err := at.Find(kind)
	if err != nil {
		f.refused(fails, err, at.Checkout)
	}
	if hook == "" {
		hook = fmt.Sprintf("the project has no %s hook", kind)
	}
	return f.check(name, hook)
}

func (p *Project) checkPortsHook() Check {
	var f findings
	n, hook, err := hooks.Place{Checkout: p.Top, Common: p.Common}.PortsWanted()
	if err != nil {
		f.refused(fails, err, p.Top)
	}
	detail := fmt.Sprintf("%s asks for %d ports for each worktree", hook, n)
	if hook == "" {
		detail = "the project has no ports hook, so no worktree gets ports"
	}
	return f.check("ports-hook", detail)
}

// checkBlocks looks at every project's port claims. inside tells whether prune can run
// where the command does.
func checkBlocks(w World, inside bool) Check {
	var f findings
	data, err := place.Data(w.Env)
	if err != nil {
		f.refused(fails, err, "")
		return f.check("port-blocks", "")
	}
	claims := ports.Store{Dir: store.Store{Data: data}.Ports()}
	all, err := claims.All()
	if err != nil {
		f.add(fails, "the port claims cannot be read: "+err.Error(), store.Room(claims.Dir))
		return f.check("port-blocks", "")
	}
	prune := "agent-worktree prune"
	if !inside {
		prune = "cd <a git checkout> && agent-worktree prune"
	}
	blocks := byEntry(all)
	for _, b := range blocks {
		if entryGone(b.Entry) {
			f.add(warns, fmt.Sprintf("port block %s is held for %s, which is gone", b.Block, b.Entry), prune)
		}
	}
	for _, c := range all {
		if c.Err != nil {
			file := fmt.Sprintf("%s/%d", claims.Dir, c.Unit)
			f.add(fails, fmt.Sprintf("%s, so nobody gets ports %d-%d", c.Err, c.Unit, c.Unit+ports.UnitSize-1),
				"when no worktree's programs use those ports, rm -r "+refuse.Shell(file))
		}
	}
	return f.check("port-blocks", fmt.Sprintf("%d held, none by a worktree that is gone", len(blocks)))
}

// byEntry gathers claims into one block for each holder, by the lowest unit.
func byEntry(claims []ports.Claim) []ports.Freed {
	var blocks []ports.Freed
	for _, c := range claims {
		if c.Err != nil {
			continue
		}
		i := slices.IndexFunc(blocks, func(b ports.Freed) bool { return b.Entry == c.Entry })
		if i < 0 {
			i, blocks = len(blocks), append(blocks, ports.Freed{Entry: c.Entry})
		}
		blocks[i].Block = append(blocks[i].Block, c.Unit)
	}
	return blocks
}

// findings are what one check met; several are told together, as the worst of them.
type findings []Check

func (f *findings) add(state, detail, fix string) {
	*f = append(*f, Check{State: state, Detail: detail, Fix: fix})
}

// refused adds a refusal with its own act, and a fault with what there is to do about
// it; dir is where git was asked.
func (f *findings) refused(state string, err error, dir string) {
	_, message := codeOf(err)
	var r *refuse.Refusal
	var failed *git.Error
	switch {
	case errors.As(err, &r):
		f.add(state, message, r.Resolve)
	case errors.As(err, &failed):
		f.add(state, message, "mend what git -C "+refuse.Shell(dir)+" worktree list says")
	default:
		f.add(state, message, "mend what it names, or hand this to the owner")
	}
}

// check is the findings as one check; detail is what it says when there are none.
func (f findings) check(name, detail string) Check {
	c := Check{Name: name, State: fine, Detail: detail}
	if len(f) == 0 {
		return c
	}
	var details, fixes []string
	c.State = warns
	for _, one := range f {
		details = append(details, one.Detail)
		if !slices.Contains(fixes, one.Fix) {
			fixes = append(fixes, one.Fix)
		}
		if one.State == fails {
			c.State = fails
		}
	}
	c.Detail, c.Fix = strings.Join(details, "; "), strings.Join(fixes, "; ")
	return c
}
