package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A table is a section that was measured.
type table struct {
	section
	results []result
}

// A column shows one thing about a result; before is the result for fewer worktrees, nil
// for none.
type column struct {
	head string
	cell func(r result, before *result) string
}

// columnOf is a column that needs one result alone.
func columnOf(head string, cell func(result) string) column {
	return column{head, func(r result, _ *result) string { return cell(r) }}
}

var (
	nameColumn   = columnOf("what", func(r result) string { return r.name })
	floorColumn  = columnOf("floor ms", func(r result) string { return shown(r.plain()) })
	oursColumn   = columnOf("ours ms", func(r result) string { return shown(r.own()) })
	ratioColumn  = columnOf("ratio", func(r result) string { return over(r.own(), r.plain()) })
	cpuColumn    = columnOf("cpu ratio", func(r result) string { return over(r.ours.cpu-r.less.cpu, r.floor.cpu) })
	targetColumn = columnOf("target", result.goal)
	metColumn    = columnOf("met", result.met)
	gitsColumn   = columnOf("git ours / floor", result.gits)

	ratioTable = []column{nameColumn, floorColumn, oursColumn, ratioColumn, cpuColumn, targetColumn, metColumn, gitsColumn,
		columnOf("behind ms", func(r result) string { return later(r.ours.behind) })}
	leastTable = []column{nameColumn, floorColumn, columnOf("least ms", oursColumn.alone), ratioColumn, cpuColumn,
		columnOf("git least / floor", result.gits)}
	growthTable = []column{nameColumn, floorColumn, oursColumn, ratioColumn, cpuColumn,
		{"floor µs a worktree", func(r result, b *result) string { return slope(r, b, result.plain) }},
		{"ours µs a worktree", func(r result, b *result) string { return slope(r, b, result.own) }}, gitsColumn}
	memoryTable = []column{nameColumn,
		columnOf("MB", func(r result) string { return fmt.Sprintf("%.1f", r.ours.memory/1e6) }), targetColumn, metColumn}
	toolTable = []column{
		columnOf("tool", func(r result) string { return r.tool }),
		columnOf("bytes", func(r result) string { return fmt.Sprint(r.bytes) }),
		columnOf("at most", func(r result) string { return fmt.Sprint(r.limit()) }),
		columnOf("met", func(r result) string { return yes(r.bytes <= r.limit()) }),
		columnOf("hello ms", floorColumn.alone), columnOf("start ms", oursColumn.alone),
		ratioColumn, cpuColumn, targetColumn, metColumn}
)

func (c column) alone(r result) string { return c.cell(r, nil) }

// own is what ours took, without what is taken off it.
func (r result) own() float64   { return r.ours.wall - r.less.wall }
func (r result) plain() float64 { return r.floor.wall }

// limit is how large a tool may be, in bytes: 4.5 MB, of a million bytes each.
func (r result) limit() int64 {
	if r.tool == "aw-latest" {
		return 7_000_000
	}
	return 4_500_000
}

func (r result) goal() string {
	if r.target == 0 {
		return "-"
	}
	if r.unit != "" {
		return fmt.Sprintf("%g %s", r.target, r.unit)
	}
	return fmt.Sprintf("%.2f", r.target)
}

func (r result) met() string {
	switch {
	case r.target == 0:
		return "-"
	case r.unit == "ms":
		return yes(r.own() <= r.target)
	case r.unit == "MB":
		return yes(r.ours.memory <= r.target*1e6)
	}
	return yes(r.own() <= r.target*r.floor.wall)
}

// missed is what a cell says of a target that is not met.
const missed = "NO"

func yes(met bool) string {
	if met {
		return "yes"
	}
	return missed
}

func (r result) gits() string {
	n := r.ours.git - r.less.git
	if r.floor.wall == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d / %d", n, r.floor.git)
}

func shown(ms float64) string {
	if ms == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", ms)
}

// later leaves out what is the waiting itself.
func later(ms float64) string {
	if ms < 1 {
		return "-"
	}
	return fmt.Sprintf("%.0f", ms)
}

func over(ours, floor float64) string {
	if floor == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", ours/floor)
}

// slope is what each worktree more cost since the row before.
func slope(r result, before *result, of func(result) float64) string {
	if before == nil || of(r) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 1000*(of(r)-of(*before))/float64(r.size-before.size))
}

// cells are the table's rows, its heads first.
func (t table) cells() (all [][]string) {
	var heads []string
	for _, c := range t.columns {
		heads = append(heads, c.head)
	}
	all = append(all, heads)
	for i, r := range t.results {
		if r.err != nil {
			all = append(all, []string{r.name, failure(r.err)})
			continue
		}
		var before *result
		if i > 0 && t.results[i-1].size < r.size && t.results[i-1].err == nil {
			before = &t.results[i-1]
		}
		var line []string
		for _, c := range t.columns {
			line = append(line, c.cell(r, before))
		}
		all = append(all, line)
	}
	return all
}

// brief is a result on one line.
func (r result) brief() string {
	switch {
	case r.err != nil:
		return failure(r.err)
	case r.unit == "MB":
		return fmt.Sprintf("%.1f MB, target %s, met: %s", r.ours.memory/1e6, r.goal(), r.met())
	case r.floor.wall == 0:
		return fmt.Sprintf("%s ms, target %s, met: %s", shown(r.own()), r.goal(), r.met())
	}
	return fmt.Sprintf("%s to %s ms, %s (cpu %s), target %s, met: %s", oursColumn.alone(r), floorColumn.alone(r),
		ratioColumn.alone(r), cpuColumn.alone(r), r.goal(), r.met())
}

// failure is why there are no numbers, in a cell.
func failure(err error) string {
	var skipped notRun
	if errors.As(err, &skipped) {
		return err.Error()
	}
	return "failed"
}

func (t table) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n\n", t.title)
	tabs := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range t.cells() {
		fmt.Fprintln(tabs, strings.Join(line, "\t"))
	}
	tabs.Flush()
}

// failures are the rows that failed, with the reason.
func failures(tables []table) (err error) {
	for _, t := range tables {
		for _, r := range t.results {
			var skipped notRun
			if r.err != nil && !errors.As(r.err, &skipped) {
				err = errors.Join(err, fmt.Errorf("%s: %w", r.name, r.err))
			}
		}
	}
	return err
}
