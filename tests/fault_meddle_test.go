//go:build unix

package tests

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// meddlings are what somebody does to the worktree while it is being removed.
var meddlings = map[string]string{
	"file":   `[ ! -d "$DIR" ] || echo late >"$DIR/late.txt"`,
	"commit": `git -C "$WORLD/repo" update-ref refs/heads/a "$LATER" && : >"$WORLD/meddled"`,
	"lock":   `git -C "$WORLD/repo" worktree lock --reason mine "$DIR"`,
	"switch": `git -C "$DIR" checkout -q -b other`,
}

// TestFaultMeddled lets somebody write into the worktree, commit on its branch, lock it or
// switch its branch at every point of a removal: what was done is not lost, and a file
// that came before the tree was moved away keeps the worktree.
func TestFaultMeddled(t *testing.T) {
	bin := faulty(t)
	t.Run("verbs", func(t *testing.T) {
		for _, name := range []string{"remove", "prune"} {
			i := slices.IndexFunc(faultScenarios, func(s scenario) bool { return s.name == name })
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				newTrial(t, bin, faultScenarios[i]).meddled()
			})
		}
	})
}

func (f *trial) meddled() {
	f.reset()
	tree := f.git("repo", "rev-parse", "a^{tree}")
	later := f.git("repo", "commit-tree", tree, "-p", "a", "-m", "later")
	f.keep()
	dir := f.place("a")
	points := f.pointList()
	moved := 1 + slices.IndexFunc(points, func(p string) bool {
		return strings.Contains(p, " rename ") && strings.HasSuffix(p, "/tree") && strings.Contains(p, "/a.")
	})
	tried := 0
	for kind, command := range meddlings {
		numbers := f.rand.Perm(len(points))
		if !full("AW_FAULT") {
			numbers = numbers[:1]
		}
		for _, n := range numbers {
			f.reset()
			c := f.call(f.world)
			c.env = append(slices.Clone(c.env), fmt.Sprint("AW_FAULT_AT=", n+1), "AW_FAULT_KIND=run", "AW_FAULT_RUN="+command, "DIR="+dir, "LATER="+later)
			a := f.run(c)
			problems := misspoken(a)
			if kind == "commit" && there(f.at("meddled")) && !strings.Contains(f.soft("repo", "rev-list", "--all"), later) {
				problems = append(problems, "I1: the commit that came meanwhile is gone")
			}
			// prune does several at once, so that its points have no fixed order.
			if kind == "file" && f.name == "remove" && n+1 <= moved && (a.status != 1 || a.doc.Error.Code != "dirty" || !there(dir+"/late.txt")) {
				problems = append(problems, "the worktree with the file that came meanwhile went")
			}
			problems = append(problems, f.lost(f.treasure, false)...)
			problems = append(problems, f.unsound(false)...)
			tried++
			if len(problems) > 0 {
				f.found++
				f.Errorf("%s, %s at point %s, seed %d:\n%s\n%s", f.name, kind, points[n], seed(), strings.Join(problems, "\n"), a)
			}
			if f.found > 8 {
				return
			}
		}
	}
	faults.count(f.name+" meddled", len(points), tried, f.found)
	if full("AW_FAULT") {
		fmt.Fprintf(os.Stdout, "%s meddled with: %d times, %d violations\n", f.name, tried, f.found)
	}
}

// TestFaultHalfMade edits what a killed create had checked out: the next create does not
// write over it.
func TestFaultHalfMade(t *testing.T) {
	i := slices.IndexFunc(faultScenarios, func(s scenario) bool { return s.name == "create_from" })
	f := newTrial(t, faulty(t), faultScenarios[i])
	checkedOut := slices.IndexFunc(f.pointList(), func(p string) bool {
		return strings.Contains(p, " git done ") && strings.Contains(p, " reset --hard ")
	})
	f.reset()
	c := f.call(f.world)
	c.env = append(c.env, fmt.Sprint("AW_FAULT_AT=", checkedOut+1), "AW_FAULT_KIND=kill")
	f.run(c)
	path := f.place("a")
	f.write(strings.TrimPrefix(path, f.root)+"/a.txt", "edited meanwhile\n")
	treasure := f.treasureOf(path + "/a.txt")
	if a := f.run(f.call(f.world)); a.status != 0 {
		t.Errorf("%s", a)
	}
	for _, problem := range f.lost(treasure, false) {
		t.Error(problem)
	}
}

// treasureOf is the treasure with one file more.
func (w *world) treasureOf(path string) treasure {
	t := w.treasure()
	if data, err := os.ReadFile(path); err == nil {
		t.bytes[sha256.Sum256(data)] = path
	}
	return t
}
