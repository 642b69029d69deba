//go:build unix

package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A scenario is one verb in a world, which prepare makes.
type scenario struct {
	name    string
	prepare func(w *world)
	call    func(w *world) call
	discard bool // it is asked to keep no bytes
	undo    bool // at times what it left is removed instead
}

func verb(args ...string) func(*world) call {
	return func(*world) call { return call{args: args} }
}

// faultScenarios are what is killed and made to fail at every point.
var faultScenarios = []scenario{
	{name: "create", prepare: func(w *world) { w.origin(true) }, call: verb("create", "a"), undo: true},
	{name: "create_existing", prepare: func(w *world) { w.git("repo", "branch", "a") }, call: verb("create", "a"), undo: true},
	{name: "create_from", prepare: func(w *world) {}, call: verb("create", "--from", "HEAD", "--branch", "feat/x", "a"), undo: true},
	{name: "create_ports", prepare: func(w *world) {
		w.write("repo/.git/worktree-hooks/ports", "20\n")
		w.write("repo/.worktreeinclude", ".env\n")
		w.write("repo/.env", "SECRET=1\n")
		w.git("repo", "add", "-A")
		w.git("repo", "commit", "-q", "-m", "include")
		w.must("create", "first")
	}, call: verb("create", "a"), undo: true},
	{name: "init", prepare: func(w *world) {
		w.write("repo/.git/worktree-hooks/ports", "10\n")
		w.must("create", "a")
	}, call: func(w *world) call { return call{args: []string{"init"}, dir: w.place("a")} }},
	{name: "remove", prepare: func(w *world) { w.landed("a") }, call: verb("remove", "a")},
	{name: "remove_force", prepare: func(w *world) { w.dirty("a") }, call: verb("remove", "--force", "a")},
	{name: "remove_discard", prepare: func(w *world) { w.landed("a") }, call: verb("remove", "--discard", "a"), discard: true},
	{name: "restore", prepare: func(w *world) {
		w.dirty("a")
		w.must("remove", "--force", "a")
	}, call: verb("restore", "a")},
	{name: "prune", prepare: func(w *world) {
		w.landed("a", "b", "c")
		w.must("create", "gone")
		os.RemoveAll(w.place("gone"))
	}, call: verb("prune")},
	{name: "hook_create", prepare: func(w *world) { w.origin(false) }, call: func(w *world) call {
		return call{args: []string{"hook"}, stdin: fmt.Sprintf(`{"hook_event_name":"WorktreeCreate","cwd":%q,"name":"a"}`, w.at("repo"))}
	}},
	{name: "hook_remove", prepare: func(w *world) { w.dirty("a") }, call: func(w *world) call {
		return call{args: []string{"hook"}, stdin: fmt.Sprintf(`{"hook_event_name":"WorktreeRemove","cwd":%q,"worktree_path":%q}`, w.at("repo"), w.place("a"))}
	}},
}

// landed makes worktrees whose branches have landed on origin's main, with a branch
// there each, and a teardown.
func (w *world) landed(names ...string) {
	w.Helper()
	w.origin(false)
	w.write("repo/.git/worktree-hooks/teardown", "#!/bin/sh\n:\n")
	for _, name := range names {
		w.must("create", name)
		path := w.place(name)
		w.write(strings.TrimPrefix(path, w.root)+"/new-"+name, name+"\n")
		w.write(strings.TrimPrefix(path, w.root)+"/.env", "SECRET="+name+"\n")
		w.git(path, "add", "new-"+name)
		w.git(path, "commit", "-q", "-m", "work on "+name)
		w.git(path, "push", "-q", "-u", "origin", name)
		w.git("repo", "merge", "-q", "--no-ff", "-m", "merge "+name, name)
	}
	w.git("repo", "push", "-q", "origin", "main")
}

// dirty makes a worktree with every kind of work in it that is not committed.
func (w *world) dirty(name string) {
	w.Helper()
	w.must("create", name)
	path := strings.TrimPrefix(w.place(name), w.root)
	w.write(path+"/mine.txt", "committed\n")
	w.git(w.at(path), "add", "mine.txt")
	w.git(w.at(path), "commit", "-q", "-m", "mine")
	w.write(path+"/a.txt", "changed by "+name+"\n")
	w.write(path+"/staged.txt", "staged by "+name+"\n")
	w.git(w.at(path), "add", "staged.txt")
	w.write(path+"/sub/new.txt", "untracked of "+name+"\n")
	w.write(path+"/.env", "SECRET="+name+"\n")
}

// A tally counts what was tried, for the table at the end.
type tally struct {
	sync.Mutex
	points, tried, broken map[string]int
}

var faults = tally{points: map[string]int{}, tried: map[string]int{}, broken: map[string]int{}}

func (l *tally) count(name string, points, tried, broken int) {
	l.Lock()
	defer l.Unlock()
	l.points[name] += points
	l.tried[name] += tried
	l.broken[name] += broken
}

func (l *tally) print(title string) {
	l.Lock()
	defer l.Unlock()
	var names []string
	for name := range l.points {
		names = append(names, name)
	}
	slices.Sort(names)
	points, tried, broken := 0, 0, 0
	fmt.Printf("%s\n%-24s %8s %8s %11s\n", title, "scenario", "points", "faults", "violations")
	for _, name := range names {
		fmt.Printf("%-24s %8d %8d %11d\n", name, l.points[name], l.tried[name], l.broken[name])
		points, tried, broken = points+l.points[name], tried+l.tried[name], broken+l.broken[name]
	}
	fmt.Printf("%-24s %8d %8d %11d\n", "all", points, tried, broken)
}

// seed is of this run's random choices; AW_SEED replays another's.
var seed = sync.OnceValue(func() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("AW_SEED"), 10, 64); err == nil {
		return n
	}
	return uint64(time.Now().UnixNano() % 1e9)
})

func random(name string) *rand.Rand {
	var n uint64
	for _, c := range name {
		n = n*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(seed(), n))
}

var errnos = []string{"ENOSPC", "EROFS", "EACCES", "EMFILE", "EIO"}

// full tells whether the long form of a harness was asked for.
func full(name string) bool { return os.Getenv(name) == "full" }

// TestFault kills each verb at every point it passes, and makes it fail there, then
// checks the invariants and that running it again, or doing what its refusal names,
// comes to the state of a run that nothing happened to. The short form takes a few
// points of each verb.
func TestFault(t *testing.T) {
	watch(t)
	bin := faulty(t)
	t.Run("points", func(t *testing.T) {
		for _, s := range faultScenarios {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				f := newTrial(t, bin, s)
				points := f.pointList()
				if part("points") {
					f.points(points)
				}
				if part("git") {
					f.hurtCalls()
				}
				if part("signals") {
					f.signals(points)
				}
			})
		}
	})
	if full("AW_FAULT") {
		faults.print(fmt.Sprintf("make fault, seed %d", seed()))
	}
}

// part tells whether a part of the harness is to run: all, unless AW_FAULT_PART names one.
func part(name string) bool {
	only := os.Getenv("AW_FAULT_PART")
	return only == "" || only == name
}

// A trial is one scenario being tried.
type trial struct {
	*world
	scenario
	want         []string // the state after a run that nothing happened to
	before       []string // the state before it
	treasure     treasure
	rand         *rand.Rand
	found        int
	serverClears bool // origin's git may be killed too
	orphaned     bool // a git of the run that was killed goes on beside the next
}

func newTrial(t *testing.T, bin string, s scenario) *trial {
	t.Helper()
	w := newWorld(t, bin)
	s.prepare(w)
	w.write("hooks/git", hurtGit)
	w.keep()
	f := &trial{world: w, scenario: s, rand: random(s.name), treasure: w.treasure(), before: standingOf(w.state())}
	if s.discard {
		f.treasure.bytes = nil
	}
	if a := w.run(s.call(w)); a.status != 0 {
		t.Fatalf("%s", a)
	}
	f.want = w.state()
	for _, problem := range append(w.lost(f.treasure, false), w.unsound(full("AW_FAULT"))...) {
		t.Errorf("without any fault: %s", problem)
	}
	return f
}

// pointList are the points that the verb passes when nothing happens.
func (f *trial) pointList() []string {
	f.reset()
	c := f.call(f.world)
	log := f.root + ".log"
	defer os.Remove(log)
	c.env = append(c.env, "AW_FAULT_LOG="+log)
	f.run(c)
	data, _ := os.ReadFile(log)
	return lines(strings.TrimSuffix(string(data), "\n"))
}

// A hit is one fault: which point, and what happens there.
type hit struct {
	at   int
	kind string
}

// points hurts us at each point.
func (f *trial) points(points []string) {
	var hits []hit
	for n := 1; n <= len(points); n++ {
		hits = append(hits, hit{n, "kill"}, hit{n, "group"})
		for _, errno := range errnos {
			hits = append(hits, hit{n, errno}, hit{n, errno + "+"})
		}
	}
	f.rand.Shuffle(len(hits), func(i, j int) { hits[i], hits[j] = hits[j], hits[i] })
	switch {
	case !full("AW_FAULT"):
		hits = hits[:min(len(hits), 2)]
	case os.Getenv("AW_FAULT_POINTS") != "": // such as 12 kill,13 EIO+
		list := strings.Split(os.Getenv("AW_FAULT_POINTS"), ",")
		hits = slices.DeleteFunc(hits, func(h hit) bool { return !slices.Contains(list, fmt.Sprint(h.at, " ", h.kind)) })
	case os.Getenv("AW_FAULT_KINDS") != "": // such as kill,EIO
		kinds := strings.Split(os.Getenv("AW_FAULT_KINDS"), ",")
		hits = slices.DeleteFunc(hits, func(h hit) bool { return !slices.Contains(kinds, h.kind) })
	}
	for i, h := range hits {
		f.try(h, points[h.at-1], full("AW_FAULT") && i%16 == 0)
		if f.found > 8 {
			f.Errorf("%s: more than 8 violations; the rest of its points is left out", f.name)
			break
		}
	}
	faults.count(f.name, len(points), len(hits), f.found)
}

// try lets one fault happen and checks what comes of it.
func (f *trial) try(h hit, point string, deep bool) {
	f.reset()
	c := f.call(f.world)
	hurt := c
	hurt.env = append(slices.Clone(c.env), "AW_FAULT_AT="+strconv.Itoa(h.at), "AW_FAULT_KIND="+h.kind)
	a := f.run(hurt)
	var problems []string
	if h.kind == "kill" || h.kind == "group" {
		if a.stdout != "" && a.signal != 0 && !strings.Contains(point, "update") {
			problems = append(problems, "I8: a killed run printed "+a.stdout)
		}
	} else {
		problems = misspoken(a)
		if strings.Contains(point, " git done ") { // that git did it and failed is no race
			problems = slices.DeleteFunc(problems, func(p string) bool { return strings.HasPrefix(p, "I8: git's own") })
		}
	}
	f.after(fmt.Sprintf("%s at point %s", h.kind, point), a, problems, c, deep)
}

// after checks the invariants after a fault, and that the next runs converge. A run that
// met an error and succeeded all the same has said what it left out, as of a remote that
// it could not reach: then the next run only has to stay with what it finds.
func (f *trial) after(what string, a answer, problems []string, c call, deep bool) {
	problems = append(problems, f.broken(f.treasure)...)
	runs := 1
	if f.undo && f.rand.IntN(3) == 0 {
		problems = append(problems, f.undone()...)
	} else if a.signal == 0 && (a.status == 0 || strings.Contains(a.stderr, " was not deleted: ")) {
		problems = append(problems, misspoken(f.run(c))...)
	} else {
		var more []string
		runs, more = f.converge(c)
		problems = append(problems, more...)
	}
	problems = append(problems, f.lost(f.treasure, false)...)
	problems = append(problems, f.unsound(deep)...)
	if deep || f.rand.IntN(4) == 0 {
		if p := f.run(call{args: []string{"prune"}}); p.status != 0 {
			problems = append(problems, "prune afterwards: "+p.String())
		}
		problems = append(problems, f.leftovers()...)
	}
	if len(problems) == 0 {
		return
	}
	f.found++
	f.Errorf("%s, %s, seed %d (%d runs after it):\n%s\nthe run it happened to: %s",
		f.name, strings.ReplaceAll(what, f.root, "$W"), seed(), runs, strings.ReplaceAll(strings.Join(problems, "\n"), f.root, "$W"), strings.ReplaceAll(a.String(), f.root, "$W"))
}

// standingOf is a state without refs and settings, of which a removal may keep some.
func standingOf(state []string) []string {
	return slices.DeleteFunc(slices.Clone(state), func(line string) bool {
		kind, rest, _ := strings.Cut(line, " ")
		return !slices.Contains([]string{"git", "admin", "ledger", "claim", "dir", "file"}, kind) || strings.HasPrefix(rest, "/trash") || kind == "dir" && !strings.HasSuffix(rest, "/a 700")
	})
}

// undone removes what a create left, by remove or by prune, and what that names: then
// the name must be as free as it was, and a create must work.
func (f *trial) undone() (problems []string) {
	next := call{args: []string{"remove", "a"}}
	for range 2 {
		a := f.run(next)
		problems = append(problems, misspoken(a)...)
		if a.status == 0 {
			break
		}
		next = doNext(a, next)
		if next.args[0] == "create" { // not registered: nothing to undo
			break
		}
	}
	if diff := differ(standingOf(f.state()), f.before); len(diff) > 0 {
		problems = append(problems, "I4: not undone in two runs:\n  "+strings.Join(diff, "\n  "))
	}
	if a := f.run(call{args: []string{"create", "a"}}); a.status != 0 {
		problems = append(problems, "I4: no create after it was undone: "+a.String())
	}
	return problems
}

// converge runs the verb again, or what its refusal names, until the state is that of a
// run that nothing happened to: at most twice.
func (f *trial) converge(c call) (runs int, problems []string) {
	next := c
	for runs = 1; ; runs++ {
		a := f.run(next)
		problems = append(problems, misspoken(a)...)
		diff := differ(f.state(), f.want)
		diff = slices.DeleteFunc(diff, func(line string) bool { // a commit more that is kept harms nobody
			return strings.HasPrefix(line, "+ ref repo refs/agent-worktree/removed/")
		})
		if f.discard || f.orphaned || f.serverClears { // one removal more may be kept than would have been
			diff = slices.DeleteFunc(diff, func(line string) bool {
				return strings.HasPrefix(line, "+ ") && (strings.Contains(line, "<time>") || strings.HasPrefix(line, "+ dir /trash"))
			})
		}
		if len(diff) == 0 {
			return runs, problems
		}
		if runs == 2 {
			return runs, append(problems, "I4: no convergence in two runs:\n  "+strings.Join(diff, "\n  ")+"\nthe last: "+a.String())
		}
		next = c
		if a.status != 0 {
			next = doNext(a, c)
		}
	}
}

// actNamed is the first command of ours in an act.
var actNamed = regexp.MustCompile(`agent-worktree (create|init|remove|restore|prune)\b((?: --?[a-z]\S*| [a-z0-9-]+)*)`)

// doNext is the command that a refusal names, else the same again.
func doNext(a answer, c call) call {
	m := actNamed.FindStringSubmatch(a.doc.Error.Resolve)
	if m == nil {
		return c
	}
	args := []string{m[1]}
	for _, word := range strings.Fields(m[2]) {
		if strings.HasPrefix(word, "-") || m[1] != "prune" && len(args) == 1 {
			args = append(args, word)
		}
	}
	return call{args: args, dir: c.dir, env: c.env}
}

// TestFaultNotInRelease holds release builds to carrying nothing of lib/fault.
func TestFaultNotInRelease(t *testing.T) {
	bin := tools(t)
	for _, tool := range []string{"aw-create", "aw-remove", "aw-prune"} {
		data, err := os.ReadFile(filepath.Join(bin, tool))
		if err != nil {
			t.Fatal(err)
		}
		for _, trace := range []string{"AW_FAULT", "lib/fault.Point", "lib/fault.point", "lib/fault.half"} {
			if strings.Contains(string(data), trace) {
				t.Errorf("%s holds %s", tool, trace)
			}
		}
	}
}
