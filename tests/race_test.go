//go:build unix

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// atOnce runs several calls side by side.
func (w *world) atOnce(calls []call) []answer {
	answers := make([]answer, len(calls))
	var wait sync.WaitGroup
	for i, c := range calls {
		wait.Go(func() { answers[i] = w.run(c) })
	}
	wait.Wait()
	return answers
}

// beside runs each function again and again until stop is closed.
func beside(stop chan struct{}, each ...func(n int)) *sync.WaitGroup {
	var wait sync.WaitGroup
	for _, f := range each {
		wait.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					f(n)
				}
			}
		})
	}
	return &wait
}

// TestSoakCreates makes 32 worktrees at once while ls, prune, a fetch and another tool's
// worktree commands run beside them: each of ours succeeds the first time.
func TestSoakCreates(t *testing.T) {
	w := newWorld(t, tools(t))
	rounds, files := 1, 0
	if full("AW_SOAK") {
		rounds, files = asked("AW_ROUNDS", 20), 20000
	}
	for i := range files {
		w.write(fmt.Sprintf("repo/many/%d/%d", i/500, i), "a file\n")
	}
	if files > 0 {
		w.git("repo", "add", "-A")
		w.git("repo", "commit", "-q", "-m", "many files")
	}
	w.origin(true)
	for round := range rounds {
		w.createsAtOnce(round)
		if t.Failed() {
			return
		}
	}
	if full("AW_SOAK") {
		fmt.Printf("creates at once: %d rounds of 32, %d files\n", rounds, files)
	}
}

func (w *world) createsAtOnce(round int) {
	var calls []call
	for i := range 32 {
		calls = append(calls, call{args: []string{"create", fmt.Sprintf("t%d-%d", round, i)}})
	}
	stop := make(chan struct{})
	ours := func(args ...string) func(int) {
		return func(int) {
			if a := w.run(call{args: args}); a.status != 0 {
				w.Errorf("beside the creates: %s", a)
			}
		}
	}
	others := beside(stop, ours("ls"), ours("prune"),
		func(int) { w.tryGit("repo", "fetch", "-q", "origin") },
		func(n int) { // git's own races are its own
			w.tryGit("repo", "worktree", "add", "-q", "--detach", w.at(fmt.Sprintf("other/%d-%d", round, n)))
		})
	start := time.Now()
	for _, a := range w.atOnce(calls) {
		if a.status != 0 {
			w.Errorf("%s", a)
		}
	}
	close(stop)
	others.Wait()
	w.Logf("32 creates at once in %s", time.Since(start).Round(time.Millisecond))
	for _, c := range calls {
		if text, err := os.ReadFile(filepath.Join(w.place(c.args[1]), "built")); err != nil || string(text) != "\n" {
			w.Errorf("%s: setup left %q, %v", c.args[1], text, err)
		}
	}
	for _, problem := range w.unsound(false) {
		w.Errorf("%s", problem)
	}
	if full("AW_SOAK") { // else the next round would begin with these
		for _, a := range w.atOnce(sameNames(calls, "remove", "--keep-branch")) {
			if a.status != 0 {
				w.Errorf("%s", a)
			}
		}
	}
}

// sameNames is the same names under another verb.
func sameNames(calls []call, verb ...string) []call {
	var list []call
	for _, c := range calls {
		list = append(list, call{args: append(slices.Clone(verb), c.args[len(c.args)-1])})
	}
	return list
}

// TestSoakOneName runs eight creates of one name at once: one worktree, eight equal
// answers, and setup runs once.
func TestSoakOneName(t *testing.T) {
	w := newWorld(t, tools(t))
	w.origin(true)
	w.write("repo/.git/worktree-hooks/setup", "#!/bin/sh\necho ran >>built\n")
	for round := range 3 {
		name := fmt.Sprintf("one-%d", round)
		answers := w.atOnce(slices.Repeat([]call{{args: []string{"create", name}}}, 8))
		for _, a := range answers {
			if a.status != 0 || a.stdout != answers[0].stdout {
				t.Errorf("%s\nwant the answer of the first: %s", a, answers[0].stdout)
			}
		}
		if text, _ := os.ReadFile(filepath.Join(w.place(name), "built")); string(text) != "ran\n" {
			t.Errorf("setup left %q; want it to run once", text)
		}
	}
	if n := len(w.worktrees()); n != 3 {
		t.Errorf("%d worktrees; want 3", n)
	}
}

// pairVerbs are every verb, on names that others work on at the same time: a is dirty,
// b has landed, r was removed, the rest is new.
var pairVerbs = map[string]func(w *world, i int) call{
	"create": func(w *world, i int) call { return call{args: []string{"create", pick(i, "c", "a", "d", "b")}} },
	"init": func(w *world, i int) call {
		return call{args: []string{"init"}, dir: pick(i, w.at("repo"), w.paths["a"])}
	},
	"remove":  func(w *world, i int) call { return call{args: []string{"remove", "--force", pick(i, "a", "b", "c")}} },
	"restore": func(w *world, i int) call { return call{args: []string{"restore", pick(i, "r", "a", "b")}} },
	"prune":   func(w *world, i int) call { return call{args: []string{"prune"}} },
	"ls":      func(w *world, i int) call { return call{args: []string{"ls", "-o", "name,state,tree,landed,verdict"}} },
	"path":    func(w *world, i int) call { return call{args: []string{"path", "a"}} },
	"install": func(w *world, i int) call {
		return call{args: []string{"install", "--local", "--setup", "echo >built"}}
	},
	"doctor": func(w *world, i int) call { return call{args: []string{"doctor", "--full"}} },
	"hook": func(w *world, i int) call {
		return call{args: []string{"hook"}, stdin: pick(i,
			fmt.Sprintf(`{"hook_event_name":"WorktreeCreate","cwd":%q,"name":"c"}`, w.at("repo")),
			fmt.Sprintf(`{"hook_event_name":"WorktreeRemove","cwd":%q,"worktree_path":%q}`, w.at("repo"), w.paths["b"]))}
	},
}

func pick(i int, of ...string) string { return of[i%len(of)] }

// TestSoakPairs runs every unordered pair of verbs at once: each process succeeds or
// refuses with a typed refusal, and nothing is lost.
func TestSoakPairs(t *testing.T) {
	w := newWorld(t, tools(t))
	w.landed("a", "b", "r")
	w.write(strings.TrimPrefix(w.place("a"), w.root)+"/a.txt", "changed in a\n")
	w.must("remove", "--force", "--keep-branch", "r")
	w.paths = map[string]string{"a": w.place("a"), "b": w.place("b")}
	w.keep()
	treasure := w.treasure()
	var verbs []string
	for verb := range pairVerbs {
		verbs = append(verbs, verb)
	}
	slices.Sort(verbs)
	var pairs [][2]string
	for i, a := range verbs {
		for _, b := range verbs[i:] {
			pairs = append(pairs, [2]string{a, b})
		}
	}
	sizes := []int{2, 8, 32}
	if !full("AW_SOAK") {
		r := random("pairs")
		r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		pairs, sizes = pairs[:15], []int{3}
	}
	for _, size := range sizes {
		for _, pair := range pairs {
			w.pair(pair, size, treasure)
		}
	}
	if full("AW_SOAK") {
		fmt.Printf("pairs of verbs at once: %d, with %v processes\n", len(pairs), sizes)
	}
}

func (w *world) pair(pair [2]string, size int, treasure treasure) {
	w.reset()
	var calls []call
	for i := range size {
		calls = append(calls, pairVerbs[pair[i%2]](w, i/2))
	}
	problems := []string{}
	for _, a := range w.atOnce(calls) {
		if a.status == -2 { // its directory was removed before it began
			continue
		}
		if !strings.HasPrefix(a.line, "doctor") {
			problems = append(problems, misspoken(a)...)
		}
		if a.status != 0 && a.doc.Error.Kind == "fault" {
			problems = append(problems, "a fault: "+a.String())
		}
	}
	problems = append(problems, w.broken(treasure)...)
	problems = append(problems, w.unsound(false)...)
	if a := w.run(call{args: []string{"ls"}}); a.status != 0 {
		problems = append(problems, a.String())
	}
	if len(problems) > 0 {
		w.Errorf("%v, %d processes, seed %d:\n%s", pair, size, seed(), strings.ReplaceAll(strings.Join(problems, "\n"), w.root, "$W"))
	}
}

// TestSoakPorts lets many processes in four clones claim and free ports of one store:
// no unit is ever in two blocks, and after prune none is without an owner.
func TestSoakPorts(t *testing.T) {
	alone(t)
	processes, span := 8, 2*time.Second
	if full("AW_SOAK") {
		processes, span = 64, 30*time.Second
	}
	bin := faulty(t)
	w := newWorld(t, bin)
	w.write("repo/.git/worktree-hooks/ports", "20\n")
	for i := range 3 {
		clone := fmt.Sprintf("clone-%d", i)
		w.git("", "clone", "-q", w.at("repo"), w.at(clone))
		w.write(clone+"/.git/worktree-hooks/ports", "10\n")
		w.write(clone+"/.git/worktree-hooks/setup", "#!/bin/sh\necho \"$WORKTREE_PORT\" >built\n")
	}
	stop := make(chan struct{})
	time.AfterFunc(span, func() { close(stop) })
	var loops []func(int)
	for p := range processes {
		r := random(fmt.Sprint("ports", p))
		dir := w.at(pick(p, "repo", "clone-0", "clone-1", "clone-2"))
		loops = append(loops, func(n int) {
			c := call{dir: dir, args: [][]string{{"create", fmt.Sprintf("p%d", p)}, {"remove", "--force", "--keep-branch", fmt.Sprintf("p%d", p)}, {"prune"}}[r.IntN(3)]}
			killed := r.IntN(4) == 0
			if killed {
				c.env = []string{"AW_FAULT_KIND=kill", fmt.Sprintf("AW_FAULT_AT=%d", 1+r.IntN(60))}
			}
			a := w.run(c)
			if a.signal == 0 && a.status != 0 && a.doc.Error.Kind != "refusal" {
				t.Errorf("%s", a)
			}
		})
	}
	beside(stop, loops...).Wait()
	w.portsHold(t)
	for _, dir := range []string{"repo", "clone-0", "clone-1", "clone-2"} {
		w.run(call{args: []string{"prune"}, dir: w.at(dir)})
	}
	for _, problem := range w.leftovers() {
		t.Errorf("seed %d: %s", seed(), problem)
	}
}

// portsHold checks that each worktree's setup was given the block that it holds: a unit
// in two blocks would be in two files.
func (w *world) portsHold(t *testing.T) {
	owners := map[string]string{}
	for _, name := range []string{"repo", "clone-0", "clone-1", "clone-2"} {
		a := w.run(call{args: []string{"ls", "-o", "name,state,ports,path"}, dir: w.at(name)})
		rows, _ := a.doc.Result["worktrees"].([]any)
		for _, row := range rows {
			r, _ := row.(map[string]any)
			block, _ := r["ports"].(string)
			if r["state"] != "ready" || block == "" {
				continue
			}
			first, _, _ := strings.Cut(block, "-")
			if other := owners[first]; other != "" {
				t.Errorf("port %s is of %s and of %v", first, other, r["path"])
			}
			owners[first] = fmt.Sprint(r["path"])
			text, _ := os.ReadFile(filepath.Join(fmt.Sprint(r["path"]), "built"))
			if strings.TrimSpace(string(text)) != first {
				t.Errorf("setup of %v was given %q; it holds %s", r["path"], text, block)
			}
		}
	}
}
