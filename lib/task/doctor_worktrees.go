package task

import (
	"fmt"

	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// checkWorktree passes a ready worktree, and warns of any other with the act that
// resolves how it stands.
func (p *Project) checkWorktree(s standing) Check {
	var f findings
	switch s.state {
	case Ready:
	case Pending:
		f.add(warns, "pending: "+whyPending(s), "agent-worktree create "+refuse.Shell(s.name))
	case Corrupt:
		f.add(warns, s.err.Error(), p.renew(s))
	default:
		f.refused(warns, p.refusal(s), p.Primary)
	}
	return f.check("worktree "+s.name, s.path)
}

func whyPending(s standing) string {
	if s.entry.Setup == ledger.Making {
		return "its making has not finished"
	}
	return "its setup has not finished"
}

// renew is the act for a ledger file that cannot be read: keep what it holds, register
// the name anew, and go on as its place suggests.
func (p *Project) renew(s standing) string {
	file, next := p.ledger.File(s.name), "agent-worktree prune"
	if s.there {
		next = "agent-worktree create " + refuse.Shell(s.name)
	}
	return fmt.Sprintf(`mend it; or mv %s %s && echo '{"setup":"pending"}' >%s && %s`,
		refuse.Shell(file), refuse.Shell(refuse.Free(file+".corrupt")), refuse.Shell(file), next)
}

// checkPorts compares the block of each ready or pending worktree with what its own
// checkout asks for.
func (p *Project) checkPorts(standings []standing) []Check {
	blocks, err := p.claims([]string{"ports"})
	var checks []Check
	for _, s := range standings {
		if s.state != Ready && s.state != Pending {
			continue
		}
		var f findings
		detail := ""
		switch {
		case err != nil:
			f.add(warns, "not checked, since the port claims cannot be read", "clear the check port-blocks")
		case !s.there:
			detail = "not compared: its directory is on its way in or out" // another command's
		default:
			detail = p.compare(&f, s, blocks[s.name])
		}
		checks = append(checks, f.check("ports "+s.name, detail))
	}
	return checks
}

// compare is checkPorts for one worktree; it returns the detail of one that fits.
func (p *Project) compare(f *findings, s standing, block ports.Block) string {
	n, hook, err := hooks.Place{Checkout: s.path, Common: p.Common}.PortsWanted()
	act := "cd " + refuse.Shell(s.path) + " && agent-worktree init"
	switch {
	case err != nil:
		f.refused(warns, err, s.path)
		last := &(*f)[len(*f)-1]
		last.Fix = "in " + refuse.Shell(s.path) + ": " + last.Fix
	case n == 0 && len(block) > 0:
		f.add(warns, fmt.Sprintf("it holds %s, and its checkout asks for no ports", block), act)
	case n == 0:
		return "it asks for no ports and holds none"
	case len(block) == 0:
		f.add(warns, fmt.Sprintf("it holds no ports, and %s asks for %d", hook, n), act)
	case !block.OneRunOf(ports.Units(n)):
		f.add(warns, fmt.Sprintf("it holds %s, and %s asks for %d in one run", block, hook, n), act)
	}
	return fmt.Sprintf("it holds %s and asks for %d", block, n)
}
