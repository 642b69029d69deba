//go:build unix

package tests

import (
	"crypto/sha1"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSoak runs random sequences of all verbs, edits by hand, other tools' worktree
// commands and kills, in up to four processes at once, against a model of what must
// hold: no bytes and no commit of the user's are lost, every answer is a result or a
// typed refusal, a name that a verb succeeded on is in the state that it said, and git
// works. The seed that is printed replays a failure.
func TestSoak(t *testing.T) {
	bin := faulty(t)
	steps, span := 60, 60
	if full("AW_SOAK") {
		steps, span = asked("AW_STEPS", 10000), 250
	}
	for world := range steps / span {
		t.Run(fmt.Sprint(world), func(t *testing.T) {
			t.Parallel()
			newSoak(t, bin, fmt.Sprint("soak", world)).run(span)
		})
	}
	if full("AW_SOAK") {
		t.Cleanup(func() { fmt.Printf("make soak: %d steps, seed %d\n", steps, seed()) })
	}
}

// A soak is one world being lived in.
type soak struct {
	*world
	*rand.Rand
	names  []string
	state  map[string]string // of a name, as the last verb on it said; "" when not known
	bytes  map[string]string // what must be somewhere, by blob id, and where it was written
	log    []string          // what was done
	marks  int
	killed bool // this step has a fault in it
}

func newSoak(t *testing.T, bin, name string) *soak {
	w := newWorld(t, bin)
	w.origin(false)
	w.write("repo/.git/worktree-hooks/teardown", "#!/bin/sh\n:\n")
	return &soak{world: w, Rand: random(name), names: []string{"a", "b", "c", "d"},
		state: map[string]string{}, bytes: map[string]string{}}
}

func (s *soak) run(steps int) {
	s.paths = map[string]string{}
	for _, name := range s.names {
		s.paths[name] = s.place(name)
	}
	for step := range steps {
		s.step()
		problems := s.check(step%5 == 4)
		if step%50 == 49 {
			problems = append(problems, s.deep()...)
		}
		if len(problems) > 0 {
			s.Errorf("seed %d, step %d:\n%s\nwhat was done, the last last:\n%s", seed(), step, s.short(problems), s.short(s.log[max(0, len(s.log)-25):]))
			return
		}
	}
}

func (s *soak) short(text []string) string {
	return strings.ReplaceAll(strings.Join(text, "\n"), s.root, "$W")
}

func (s *soak) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

// step does one thing, or several at once.
func (s *soak) step() {
	s.killed = false
	switch n := s.IntN(100); {
	case n < 35:
		s.edit(s.names[s.IntN(len(s.names))])
	case n < 45:
		s.other(s.names[s.IntN(len(s.names))])
	case n < 85:
		s.verbs(1)
	default:
		s.verbs(2 + s.IntN(3))
	}
}

// verbs runs some verbs side by side, at times with a fault in one of them.
func (s *soak) verbs(count int) {
	var calls []call
	var names []string
	for range count {
		name := s.names[s.IntN(len(s.names))]
		c := s.verb(name)
		if count > 1 && slices.Contains(c.args, "--discard") { // what it destroys must be known before
			c.args = []string{"remove", "--force", name}
		}
		calls, names = append(calls, c), append(names, name)
	}
	if s.IntN(3) == 0 {
		s.killed = true
		kinds := append([]string{"kill", "kill", "kill", "group", "group", "SIGTERM", "SIGINT"}, errnos...)
		calls[0].env = append(calls[0].env, "AW_FAULT_KIND="+kinds[s.IntN(len(kinds))], fmt.Sprint("AW_FAULT_AT=", 1+s.IntN(70)))
	}
	if slices.Contains(calls[0].args, "--discard") {
		s.forget(names[0])
	}
	for i, a := range s.atOnce(calls) {
		s.note("%v %s: exit %d %s %s", calls[i].args, strings.Join(calls[i].env, " "), a.status, a.signal, a.doc.Error.Code)
		if a.status == -2 {
			continue
		}
		s.heard(names[i], calls[i], a, count > 1)
	}
}

// verb is a random verb on the name.
func (s *soak) verb(name string) call {
	c := call{}
	switch s.IntN(16) {
	case 0, 1, 2:
		c.args = []string{"create", name}
	case 3:
		c.args = []string{"create", "--from", "HEAD", name}
	case 4:
		c.args = []string{"create", "--from", "HEAD", "--branch", "feat/" + name, name}
	case 5:
		if c.args = []string{"init"}; there(s.paths[name]) {
			c.dir = s.paths[name]
		}
	case 6:
		c.args = []string{"remove", name}
	case 7:
		c.args = []string{"remove", "--force", name}
	case 8:
		c.args = []string{"remove", pick(s.IntN(3), "--keep-branch", "--keep-remote", "--dry-run"), name}
	case 9, 10:
		c.args = []string{"restore", name}
	case 11:
		c.args = []string{"prune"}
	case 12:
		c.args = []string{"prune", pick(s.IntN(3), "--dry-run", "--merged", "--full")}
	case 13:
		c.args = []string{"ls", "-o", "name,state,branch,tree,landed,verdict"}
	case 14:
		c.args = []string{"hook"}
		c.stdin = fmt.Sprintf(`{"hook_event_name":"WorktreeCreate","cwd":%q,"name":%q}`, s.at("repo"), name)
		if s.IntN(2) == 0 {
			c.stdin = fmt.Sprintf(`{"hook_event_name":"WorktreeRemove","cwd":%q,"worktree_path":%q}`, s.at("repo"), s.paths[name])
		}
	case 15:
		c.args = []string{"remove", "--force", "--discard", name}
	}
	return c
}

// heard checks an answer and keeps what it says.
func (s *soak) heard(name string, c call, a answer, busy bool) {
	verb, hurt := c.args[0], len(c.env) > 0
	if a.signal == 0 {
		for _, problem := range misspoken(a) {
			s.Errorf("seed %d: %s\nwhat was done:\n%s", seed(), problem, s.short(s.log[max(0, len(s.log)-25):]))
		}
		if !hurt && a.doc.Error.Kind == "fault" {
			s.Errorf("seed %d: a fault: %s\nwhat was done:\n%s", seed(), a, s.short(s.log[max(0, len(s.log)-25):]))
		}
	}
	switch {
	case verb == "ls" || slices.Contains(c.args, "--dry-run"):
	case a.status != 0 || busy || hurt || verb == "prune" || verb == "hook" || verb == "init":
		clear(s.state) // prune and the like may have changed any
	case verb == "create" || verb == "restore":
		s.state[name] = "ready"
	case verb == "remove":
		s.state[name] = "absent"
	}
}

// mark is text that nothing else holds.
func (s *soak) mark() string {
	s.marks++
	return fmt.Sprintf("mark %d of seed %d in %s\n", s.marks, seed(), s.root)
}

// edit is what a user does in a worktree.
func (s *soak) edit(name string) {
	dir := s.paths[name]
	if !there(filepath.Join(dir, ".git")) {
		return
	}
	in := func(args ...string) {
		out, err := s.tryGit(dir, args...)
		s.note("in %s: git %v: %v %s", name, args, err, firstOf(out))
	}
	file := filepath.Join(dir, pick(s.IntN(4), "a.txt", "new.txt", ".env", "sub/other.txt"))
	switch s.IntN(9) {
	case 0, 1, 2, 3:
		s.over(file)
		text := s.mark()
		if os.MkdirAll(filepath.Dir(file), 0o755) == nil && os.WriteFile(file, []byte(text), 0o644) == nil {
			s.bytes[blobID([]byte(text))] = file
		}
		s.note("in %s: write %s", name, filepath.Base(file))
	case 4:
		in("add", "-A")
	case 5:
		in("add", "-A")
		in("commit", "-q", "-m", "work")
	case 6:
		in("push", "-q", "-u", "origin", "HEAD")
	case 7: // it lands
		in("push", "-q", "origin", "HEAD:main")
	case 8:
		in("checkout", "-q", "--detach")
	}
}

// over forgets what the user is about to write over.
func (s *soak) over(file string) {
	if data, err := os.ReadFile(file); err == nil {
		delete(s.bytes, blobID(data))
	}
}

// forget forgets all that lies in the worktree of that name: it is about to be destroyed
// by somebody who was told to.
func (s *soak) forget(name string) {
	filepath.WalkDir(s.paths[name], func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			s.over(path)
		}
		return nil
	})
}

// other is what another tool does, or a hand that knows nothing of this one.
func (s *soak) other(name string) {
	path := s.paths[name]
	in := func(args ...string) {
		out, err := s.tryGit("repo", args...)
		s.note("elsewhere: git %v: %v %s", args, err, firstOf(out))
	}
	switch s.IntN(9) {
	case 0:
		s.forget(name)
		os.RemoveAll(path)
		s.note("rm -r %s", name)
	case 1:
		s.forget(name)
		in("worktree", "remove", "--force", path)
	case 2:
		in("worktree", "add", "-q", "--detach", s.at(fmt.Sprintf("other/%d", len(s.log))))
	case 3:
		in("worktree", "prune")
	case 4:
		in("worktree", "lock", "--reason", "mine", path)
	case 5:
		in("worktree", "unlock", path)
	case 6:
		in("fetch", "-q", "origin")
		in("merge", "-q", "--ff-only", "origin/main")
	case 7:
		in("pack-refs", "--all")
	case 8:
		in("gc", "-q")
	}
}

// check checks what must hold after any step.
func (s *soak) check(whole bool) []string {
	var problems []string
	files, _ := filepath.Glob(s.at("repo/.git/agent-worktrees/*.json"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err != nil || len(data) == 0 || data[0] != '{' {
			problems = append(problems, fmt.Sprintf("I3: %s holds %q", file, data))
		}
	}
	for name, state := range s.state {
		registered := there(s.at("repo/.git/agent-worktrees/" + name + ".json"))
		standing := there(filepath.Join(s.paths[name], ".git"))
		switch {
		case state == "absent" && registered:
			problems = append(problems, "I9: "+name+" was removed and is registered")
		case state == "ready" && !registered:
			problems = append(problems, "I9: "+name+" was made and is not registered")
		case state == "ready" && standing && !there(filepath.Join(s.paths[name], "built")):
			problems = append(problems, "I9: "+name+" is ready and was not set up")
		}
	}
	if whole {
		problems = append(problems, s.missing()...)
	}
	return problems
}

// blobID is the id that git gives to a file of these bytes.
func blobID(data []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)))
}

// missing names the marks that are nowhere: in no worktree, in no trash, in no commit
// that a ref reaches.
func (s *soak) missing() []string {
	left := map[string]string{}
	for sum, file := range s.bytes {
		left[sum] = file
	}
	filepath.WalkDir(s.at("data"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "entry.json" {
			data, _ := os.ReadFile(path)
			delete(left, blobID(data))
		}
		return nil
	})
	if len(left) == 0 {
		return nil
	}
	for _, id := range lines(s.soft("repo", "rev-list", "--all", "--objects", "--no-object-names")) {
		delete(left, id)
	}
	var out []string
	for _, file := range left {
		out = append(out, "I1: what was written to "+file+" is gone")
	}
	return out
}

// deep checks what costs more: git works, and prune leaves nothing over.
func (s *soak) deep() []string {
	clear(s.state)
	if a := s.run0("prune"); a.status != 0 && a.doc.Error.Kind != "refusal" {
		return []string{a.String()}
	}
	a := s.run0("ls")
	if a.status != 0 {
		return []string{a.String()}
	}
	return append(s.unsound(true), s.leftovers()...)
}

func (s *soak) run0(verb string) answer { return s.world.run(call{args: []string{verb}}) }

// asked is a number that the environment names, else the usual one.
func asked(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}
