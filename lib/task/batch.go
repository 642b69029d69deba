package task

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// A batch works on several worktrees side by side and shows what each printed whole, in
// the order of the names. Failures are data: one stops nobody else.
type batch struct {
	names []string
	errs  []error
	outs  []*os.File // by out; nil for those of which nothing was done
}

func newBatch(names []string) *batch {
	return &batch{names: names, errs: make([]error, len(names)), outs: make([]*os.File, len(names))}
}

// out is where to print what is done for a name: no buffer, since what a hook leaves
// running may go on printing.
func (b *batch) out(i int) (*os.File, error) {
	if b.outs[i] != nil {
		return b.outs[i], nil
	}
	f, err := os.CreateTemp("", "agent-worktree-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	b.outs[i] = f
	return f, nil
}

// order is the names' indices in the order of the names.
func (b *batch) order() []int {
	list := make([]int, len(b.names))
	for i := range list {
		list[i] = i
	}
	sort.SliceStable(list, func(i, j int) bool { return b.names[list[i]] < b.names[list[j]] })
	return list
}

// run does one step for every name that has not failed.
func (b *batch) run(do func(i int, out io.Writer) error) {
	b.runSome(func(int) bool { return true }, do)
}

// runSome is run for those of the names.
func (b *batch) runSome(these func(i int) bool, do func(i int, out io.Writer) error) {
	var group errgroup.Group
	group.SetLimit(2 * max(2, runtime.NumCPU()))
	for i := range b.names {
		if b.errs[i] != nil || !these(i) {
			continue
		}
		group.Go(func() error {
			out, err := b.out(i)
			if err == nil {
				err = do(i, out)
			}
			b.errs[i] = err
			return nil
		})
	}
	group.Wait()
}

// tellSuccesses notes what was done where anything failed: the refusal has room for the
// failures alone.
func (b *batch) tellSuccesses(what func(i int) string) {
	if !slices.ContainsFunc(b.errs, func(err error) bool { return err != nil }) {
		return
	}
	for i, err := range b.errs {
		if err == nil {
			note(b.outs[i], "%s", what(i))
		}
	}
}

// once is names without those that came before.
func once(names []string) []string {
	var list []string
	for _, n := range names {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// flush writes what was printed to out, in order, and is the batch's end.
func (b *batch) flush(out io.Writer) {
	for _, f := range b.outs {
		if f == nil {
			continue
		}
		// Not by seeking: what a hook left running shares the file's offset.
		if info, err := f.Stat(); err == nil {
			io.Copy(out, io.NewSectionReader(f, 0, info.Size()))
		}
		f.Close()
	}
}

// failures is the one refusal for several names, with a table of those that failed; nil
// when none did. Its act is what each of them names, and then the last one, again.
func failures(code refuse.Code, what, again string, names []string, errs []error) error {
	table := refuse.Table{Columns: []string{"name", "code", "message"}}
	var causes, acts []string
	for i, err := range errs {
		if err == nil {
			continue
		}
		c, m := codeOf(err)
		table.Rows = append(table.Rows, []any{names[i], c, m})
		causes = append(causes, names[i]+": "+m)
		act := "hand it to the owner"
		if r := (*refuse.Refusal)(nil); errors.As(err, &r) {
			act = r.Resolve
		}
		acts = append(acts, "for "+names[i]+": "+act)
	}
	if len(causes) == 0 {
		return nil
	}
	return &refuse.Refusal{
		Code:    code,
		Message: fmt.Sprintf("%d not %s: %s", len(causes), what, strings.Join(causes, "; ")),
		Meta:    refuse.Meta{{Key: "count", Value: len(causes)}, {Key: "failed", Value: table}},
		Resolve: strings.Join(acts, "; ") + "; then " + again,
	}
}
