package task

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/settle"
)

// A listRow is one row of `ls`, with what its columns asked for.
type listRow struct {
	*sweepRow
	project string // the primary checkout, "" for none
	act     string // what the reason column says of one that is no project's
	block   ports.Block
	busy    int   // pid, 0 for none
	size    int64 // bytes, -1 when not known
	active  time.Time
}

// A look is one pass of `ls` over a project: it asks for what the columns show and for
// nothing else.
type look struct {
	*sweep
	o    ListOptions
	rows []*listRow
}

func (p *Project) newLook(o ListOptions, standings []standing) *look {
	l := &look{o: o, sweep: &sweep{Project: p, whole: true, offline: !o.Fetch}}
	for _, st := range standings {
		row := &sweepRow{standing: st}
		if o.keeps(st.state) {
			l.sweep.rows = append(l.sweep.rows, row)
		}
		l.rows = append(l.rows, &listRow{sweepRow: row, project: p.Primary, size: -1})
	}
	return l
}

// kept are the rows that are printed.
func (l *look) kept() []*listRow {
	return slices.DeleteFunc(slices.Clone(l.rows), func(r *listRow) bool { return !l.o.keeps(r.state) })
}

// fill asks what the columns need.
func (l *look) fill(ctx context.Context) error {
	if err := l.fillPorts(); err != nil {
		return err
	}
	if l.o.asks("landed", "verdict", "reason") {
		if err := l.fillVerdicts(ctx); err != nil {
			return err
		}
	}
	if l.o.asks("tree", "active") {
		if err := l.fillTrees(ctx); err != nil {
			return err
		}
	}
	if l.o.asks("active") {
		if err := l.fillActive(ctx); err != nil {
			return err
		}
	}
	if l.o.asks("busy") {
		l.fillBusy()
	}
	if l.o.asks("size") {
		return eachRow(l.kept(), func(r *listRow) { r.size = diskUse(r.path) })
	}
	return nil
}

// eachRow does one thing for every row, side by side.
func eachRow[T any](rows []T, do func(T)) error {
	var group errgroup.Group
	group.SetLimit(max(2, runtime.NumCPU()))
	for _, r := range rows {
		group.Go(func() error { do(r); return nil })
	}
	return group.Wait()
}

// fillPorts reads the claims, where a column shows them.
func (l *look) fillPorts() error {
	blocks, err := l.claims(l.o.Columns)
	for _, r := range l.rows {
		if r.state != Outside {
			r.block = blocks[r.name]
		}
	}
	return err
}

// claims are the port blocks by worktree, read only where a column shows them.
func (p *Project) claims(columns []string) (map[string]ports.Block, error) {
	if !slices.Contains(columns, "ports") {
		return nil, nil
	}
	all, err := p.ports.All()
	if err != nil {
		return nil, err
	}
	blocks := map[string]ports.Block{}
	for _, c := range all {
		if c.Err == nil {
			blocks[p.fileName(c.Entry)] = append(blocks[p.fileName(c.Entry)], c.Unit)
		}
	}
	return blocks, nil
}

// fileName is the name of this project's worktree that a claim is for, "" for another's.
func (p *Project) fileName(entry string) string {
	if name := nameOfEntry(entry); p.ledger.File(name) == entry {
		return name
	}
	return ""
}

// fillVerdicts judges the rows as prune would. Where only their landing is asked, the
// rest is left out.
func (l *look) fillVerdicts(ctx context.Context) (err error) {
	if l.judge, err = l.judgeFor(ctx); err != nil {
		return err
	}
	defer l.judge.Close(context.WithoutCancel(ctx))
	if l.o.asks("verdict", "reason") {
		if l.window, err = l.quietWindow(ctx); err != nil {
			return err
		}
		if err := l.choose(ctx); err != nil {
			return err
		}
	}
	if !l.o.asks("landed") {
		return nil
	}
	var rest []*sweepRow
	for _, r := range l.kept() {
		if r.tree.Branch != "" && !r.judged {
			rest = append(rest, r.sweepRow)
		}
	}
	return l.judgeLanded(ctx, rest)
}

// judgeFor is the judge that may reach the remotes with --fetch, and else one that goes
// by what this clone has.
func (l *look) judgeFor(ctx context.Context) (*settle.Judge, error) {
	if l.o.Fetch {
		return settle.New(l.repo), nil
	}
	return settle.Local(ctx, l.repo)
}

// fillTrees asks for the status of the worktrees that the verdict did not look at.
func (l *look) fillTrees(ctx context.Context) error {
	if err := l.readAdmins(); err != nil {
		return err
	}
	return eachRow(l.kept(), func(r *listRow) {
		if r.answer == nil && r.hasTree() {
			answer := guard.AskTree(ctx, l.repo, l.subject(r.sweepRow))
			r.answer = &answer
		}
	})
}

// hasTree tells whether git can be asked for the status of what stands at the path.
func (s standing) hasTree() bool {
	switch {
	case !s.there || !s.listed:
		return false
	case s.state == Ready, s.state == Pending, s.state == Legacy, s.state == Outside:
		return true
	}
	return false
}

func (l *look) fillActive(ctx context.Context) error {
	dates, err := l.datesOf(ctx, l.sweep.rows)
	for _, r := range l.kept() {
		r.active = r.lastActive(dates)
	}
	return err
}

func (l *look) fillBusy() {
	busy := guard.Scan()
	for _, r := range l.kept() {
		if inside := busy.Inside(r.path); r.there && len(inside) > 0 {
			r.busy = inside[0].PID
		}
	}
}

// cell is what a column shows: a string, an int, or nil where there is nothing to show.
func (r *listRow) cell(column string) any {
	switch column {
	case "name":
		return r.name
	case "state":
		return string(r.state)
	case "path":
		return r.path
	case "branch":
		return orNil(r.tree.Short())
	case "head":
		return orNil(r.tree.Head)
	case "ports":
		return orNil(r.block.String())
	case "project":
		return orNil(r.project)
	case "tree":
		return orNil(r.treeWord())
	case "landed":
		return orNil(r.landedWord())
	case "verdict":
		return r.verdictWord("would_remove")
	case "reason":
		return orNil(r.reasonCell())
	}
	return r.measure(column)
}

// measure is the cell of a column that holds a number or a time.
func (r *listRow) measure(column string) any {
	switch {
	case column == "active" && !r.active.IsZero():
		return r.active.UTC().Format(time.RFC3339)
	case column == "busy" && r.busy > 0:
		return r.busy
	case column == "size" && r.size >= 0:
		return int(r.size)
	case column == "active", column == "busy", column == "size":
		return nil
	}
	panic(fmt.Sprintf("column %s", column))
}

func (r *listRow) reasonCell() string {
	if r.act != "" {
		return r.act
	}
	return r.reasonWord()
}

// treeWord is whether the tree is clean, "" where there is none to ask about.
func (r *sweepRow) treeWord() string {
	switch {
	case r.answer == nil:
		return ""
	case r.answer.Failed != nil:
		return "unknown"
	case r.answer.Clean():
		return "clean"
	}
	return "dirty"
}

// landedWord is how the branch landed, "" where there is none.
func (r *sweepRow) landedWord() string {
	switch {
	case r.tree.Branch == "" || !r.judged:
		return ""
	case r.way.Unknown:
		return "unknown"
	case r.way.By == "":
		return "no"
	}
	return r.way.By
}

// orNil is s, or nil where there is nothing to show.
func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
