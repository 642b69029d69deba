package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A bench is one run of the program.
type bench struct {
	runs      int
	scratch   string // where the repositories are made, always the same place
	disk      string // the same for rows about ext4, each in a new directory
	cache     string
	bin       string   // the tools, hello and bare
	shim, ssh string   // a git that counts its starts; a stand-in for ssh
	kept      []string // deleted last: the rows about ext4 want no deletes before them
	ctx       context.Context
	done, all int // rows
}

var errStopped = errors.New("stopped")

func (b *bench) stopped() bool { return b.ctx.Err() != nil }

// progress is a line on standard error.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "[%d/%d] %s\n", b.done, b.all, fmt.Sprintf(format, args...))
}

func scratchDir() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "agent-worktree-bench")
}

// run builds the tools and runs the rows chosen.
func run(o options, only []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := &bench{runs: max(o.runs, 1), ctx: ctx, disk: o.disk}
	b.scratch = filepath.Join(o.dir, fmt.Sprintf("agent-worktree-bench-%d", os.Getuid()))
	chosen := choose(sections, only)
	if o.list {
		return list(chosen)
	}
	if o.md != "" && len(only) > 0 && marked(o.md) {
		return fmt.Errorf("%s: rows that were not chosen would be lost: give -md another file, or no row", o.md)
	}
	release, err := alone(b.scratch + ".lock")
	if err != nil {
		return err
	}
	defer release()
	defer b.clean()
	if err := b.prepare(o); err != nil {
		return err
	}
	tables := b.tables(chosen)
	for _, t := range tables {
		t.print(os.Stdout)
	}
	if b.stopped() {
		return errStopped
	}
	if o.md != "" {
		if err := writeMarkdown(o.md, b.machine(), tables); err != nil {
			return err
		}
	}
	return failures(tables)
}

func (b *bench) clean() {
	for _, dir := range append(b.kept, b.scratch, b.bin) {
		os.RemoveAll(dir)
	}
}

func (b *bench) prepare(o options) (err error) {
	if err := os.RemoveAll(b.scratch); err != nil {
		return err
	}
	if err := os.Mkdir(b.scratch, 0o700); err != nil {
		return err
	}
	if b.cache, err = openCache(o.cache, o.fresh); err != nil {
		return err
	}
	if err := b.build(filepath.Join(o.cache, "bin")); err != nil {
		return err
	}
	adopt()
	return b.standIns()
}

// build builds the tools as a release does, and hello and bare with the same flags. They
// are copied once more, to a disk, where git is too: a file that was just linked or that
// is on tmpfs starts slower.
func (b *bench) build(bin string) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	dir, linked := strings.TrimSpace(string(root)), filepath.Join(b.scratch, "linked")
	b.bin = bin
	return errors.Join(
		os.RemoveAll(bin),
		succeed("make", "-s", "-C", dir, "build", "OUT="+linked),
		succeed("make", "-s", "-C", dir, "build", "OUT="+linked, "TOOLS=../tests/bench/hello ../tests/bench/bare"),
		succeed("cp", "-R", linked, b.bin))
}

func succeed(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// standIns writes the git that counts and the ssh that takes its time: it becomes what
// git asked the other side to run, its last argument.
func (b *bench) standIns() error {
	git, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	b.shim, b.ssh = filepath.Join(b.scratch, "shim"), filepath.Join(b.scratch, "ssh")
	if err := os.Mkdir(b.shim, 0o700); err != nil {
		return err
	}
	count := "#!/bin/sh\necho >>\"$BENCH_COUNT\"\nexec " + git + " \"$@\"\n"
	delay := "#!/bin/sh\nfor order; do :; done\nsleep \"$BENCH_DELAY\"\nexec sh -c \"$order\"\n"
	return errors.Join(
		os.WriteFile(filepath.Join(b.shim, "git"), []byte(count), 0o700),
		os.WriteFile(b.ssh, []byte(delay), 0o700))
}

// choose is the sections with the rows asked for by name or, where none is of that name,
// by a part of it; with all of them when none is asked for.
func choose(all []section, only []string) []section {
	var chosen []section
	for _, s := range all {
		s.rows = slices.DeleteFunc(slices.Clone(s.rows), func(r row) bool {
			return len(only) > 0 && !slices.ContainsFunc(only, func(o string) bool { return asked(all, r.name, o) })
		})
		if len(s.rows) > 0 {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

func asked(all []section, name, word string) bool {
	exact := slices.ContainsFunc(all, func(s section) bool {
		return slices.ContainsFunc(s.rows, func(r row) bool { return r.name == word })
	})
	return name == word || !exact && strings.Contains(name, word)
}

func list(chosen []section) error {
	for _, s := range chosen {
		fmt.Printf("%s:\n", s.title)
		for _, r := range s.rows {
			fmt.Println("   ", r.name)
		}
	}
	return nil
}

// tables measures the rows, one table a section.
func (b *bench) tables(chosen []section) []table {
	for _, s := range chosen {
		b.all += len(s.rows)
	}
	var tables []table
	for _, s := range chosen {
		t := table{section: s}
		for _, r := range s.rows {
			if b.stopped() {
				break
			}
			b.done++
			start := time.Now()
			got := b.measure(r)
			b.progress("%s: %s (in %.0f s)", r.name, got.brief(), time.Since(start).Seconds())
			t.results = append(t.results, got)
		}
		tables = append(tables, t)
	}
	return tables
}
