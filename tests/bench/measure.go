package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A row is one comparison.
type row struct {
	name   string
	target float64 // at most this; 0 for none
	unit   string  // of the target: "" for ours over floor, "ms", "MB"
	size   int     // how many worktrees there are, in a table about that
	tool   string  // of a row about a tool: its size is measured too
	short  bool    // a command of some milliseconds: it runs ten times as often
	disk   bool    // it is about ext4
	setup  func(r *repo) trial
}

// A trial is a row's commands, once its repository is made.
type trial struct {
	floor, ours side
	less        side // what ours does beside what is asked about: taken off ours
	ahead       bool // all is prepared before anything is timed
	memory      bool // ours' memory is watched
}

// A side is a command that is timed. The others run untimed: prepare before it, settle
// after that and past the second in which git hashes a young file again, after last.
type side struct {
	prepare, settle, after func(i int) error
	run                    func(i int) *exec.Cmd
	exit                   int // the status it ends with
}

// young is how long git distrusts the files of a checkout.
const young = 1100 * time.Millisecond

// numbers are what was measured of one side: of one run, or the median of all.
type numbers struct {
	wall, cpu float64 // milliseconds; cpu is that of all processes, waited for or not
	behind    float64 // milliseconds that something went on after the command had ended
	memory    float64 // bytes
	git       int     // git processes started
}

// A result is a row with its medians.
type result struct {
	row
	floor, less, ours numbers
	bytes             int64 // of a tool
	err               error
}

// A notRun is why a row was not run.
type notRun string

func (n notRun) Error() string { return "not run: " + string(n) }

// measure runs a row in a repository of its own.
func (b *bench) measure(w row) (res result) {
	res.row = w
	r := &repo{bench: b}
	if r.dir, res.err = b.place(w); res.err != nil {
		return res
	}
	if w.disk {
		b.kept = append(b.kept, r.dir)
	} else {
		defer os.RemoveAll(r.dir)
	}
	if res.err = r.clear(); res.err != nil {
		return res
	}
	t := w.setup(r)
	if res.err = r.err; res.err != nil {
		return res
	}
	runs := b.runs
	switch {
	case w.short:
		runs *= 10
	case t.memory: // the most of all counts, and it hardly differs
		runs = min(runs, 3)
	}
	res.err = r.trial(t, runs, &res)
	if info, err := os.Stat(filepath.Join(b.bin, w.tool)); err == nil && w.tool != "" {
		res.bytes = info.Size()
	}
	return res
}

// place is the directory for a row's repository. It is always the same, since worktrees
// hold paths and those of the cache have to fit; on ext4 it is a new one.
func (b *bench) place(w row) (string, error) {
	switch {
	case !w.disk && w.unit == "MB" && peak(os.Getpid()) == 0:
		return "", notRun("no /proc here that tells how much memory a process had")
	case !w.disk:
		return filepath.Join(b.scratch, "row"), nil
	case fileSystem(b.disk) != "ext4":
		return "", notRun("no ext4 there, but " + fileSystem(b.disk) + ": name a directory that has one with -disk")
	}
	return os.MkdirTemp(b.disk, "agent-worktree-bench-")
}

// trial times the sides in random order. The first run of each warms the caches, and
// counts.
func (r *repo) trial(t trial, runs int, res *result) error {
	sides := []side{t.floor, t.less, t.ours}
	into := []*numbers{&res.floor, &res.less, &res.ours}
	all := make([][]numbers, len(sides))
	if t.ahead {
		if err := ahead(sides, runs); err != nil {
			return err
		}
	}
	for i := range runs + 1 {
		for _, n := range rand.Perm(len(sides)) {
			if sides[n].run == nil {
				continue
			}
			got, err := r.turn(sides[n], i, t)
			if err != nil {
				return err
			}
			if i == 0 {
				into[n].git = got.git
			} else {
				all[n] = append(all[n], got)
			}
		}
	}
	for n, list := range all {
		git := into[n].git
		*into[n] = medians(list)
		into[n].git = git
	}
	return nil
}

// ahead prepares all runs.
func ahead(sides []side, runs int) error {
	for _, step := range []func(side) func(int) error{
		func(s side) func(int) error { return s.prepare },
		func(s side) func(int) error { return s.settle },
	} {
		for i := range runs + 1 {
			for _, s := range sides {
				if do := step(s); do != nil {
					if err := do(i); err != nil {
						return err
					}
				}
			}
		}
		time.Sleep(young)
	}
	return nil
}

// turn is one run of one side with what goes before and after it.
func (r *repo) turn(s side, i int, t trial) (got numbers, err error) {
	if !t.ahead && s.prepare != nil {
		if err := s.prepare(i); err != nil {
			return got, err
		}
	}
	if !t.ahead && s.settle != nil {
		time.Sleep(young)
		if err := s.settle(i); err != nil {
			return got, err
		}
	}
	if got, err = r.timed(s, i, t.memory); err == nil && s.after != nil {
		err = s.after(i)
	}
	return got, err
}

// timed runs a side once. It waits for what that leaves behind.
func (r *repo) timed(s side, i int, memory bool) (got numbers, err error) {
	if r.stopped() {
		return got, errStopped
	}
	r.counting = i == 0
	defer func() { r.counting = false }()
	cmd := s.run(i)
	if stdin, ok := cmd.Stdin.(*os.File); ok {
		defer stdin.Close()
	}
	streams, err := r.streams(cmd)
	if err != nil {
		return got, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return got, err
	}
	stop := watch(cmd.Process.Pid, memory)
	cmd.Wait()
	got.wall = millis(time.Since(start))
	got.memory = stop()
	end := time.Now()
	behind, err := orphans()
	got.behind = millis(time.Since(end))
	got.cpu = millis(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() + behind)
	printed := streams()
	if cmd.ProcessState.ExitCode() != s.exit {
		return got, fmt.Errorf("%s: %s\n%s", strings.Join(cmd.Args, " "), cmd.ProcessState, printed)
	}
	got.git = r.counted(printed)
	return got, err
}

// watch looks at a process's memory until the returned function is called.
func watch(pid int, wanted bool) (stop func() float64) {
	if !wanted {
		return func() float64 { return 0 }
	}
	done, most := make(chan bool), make(chan int64)
	go func() {
		for high := int64(0); ; time.Sleep(100 * time.Microsecond) {
			select {
			case <-done:
				most <- high
				return
			default:
				high = max(high, peak(pid))
			}
		}
	}()
	return func() float64 { close(done); return float64(<-most) }
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// medians of each figure by itself; of memory the most, since a look can come too early.
func medians(list []numbers) numbers {
	of := func(get func(numbers) float64) float64 {
		if len(list) == 0 {
			return 0
		}
		v := make([]float64, len(list))
		for i, n := range list {
			v[i] = get(n)
		}
		slices.Sort(v)
		return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
	}
	most := 0.0
	for _, n := range list {
		most = max(most, n.memory)
	}
	return numbers{
		wall:   of(func(n numbers) float64 { return n.wall }),
		cpu:    of(func(n numbers) float64 { return n.cpu }),
		behind: of(func(n numbers) float64 { return n.behind }),
		memory: most,
	}
}
