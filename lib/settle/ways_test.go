package settle

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// ways judges branches by what the clone has after a fetch.
func (w *world) ways(pulls *Pulls, names ...string) []Way {
	w.Helper()
	ctx := context.Background()
	w.git(w.clone, "fetch", "-q", "--prune", "origin")
	local, err := Local(ctx, w.judge().repo)
	if err != nil {
		w.Fatal(err)
	}
	into, err := local.Into(ctx, names[0])
	if err != nil || into != w.git(w.clone, "rev-parse", "origin/main") {
		w.Fatalf("Into = %s, %v", into, err)
	}
	var claims []Claim
	for _, n := range names {
		tip := w.git(w.clone, "rev-parse", "refs/heads/"+n)
		claims = append(claims, Claim{Subject: Subject{Branch: n, Tip: tip}, Into: into, Created: time.Now().Add(time.Second)})
	}
	ways, err := local.Ways(ctx, claims, pulls)
	if err != nil {
		w.Fatal(err)
	}
	return ways
}

// pick brings the commits of a branch into origin's main one after another; back is how
// far before its tip each is.
func (w *world) pick(name string, back ...int) {
	w.Helper()
	peer := w.peer()
	w.git(peer, "fetch", "-q", w.clone, "refs/heads/"+name)
	for _, n := range back {
		w.git(peer, "cherry-pick", fmt.Sprintf("FETCH_HEAD~%d", n))
	}
	w.git(peer, "push", "-q", "origin", "main")
}

// onto goes on with a branch in the clone.
func (w *world) onto(name string, do func()) {
	w.Helper()
	w.git(w.clone, "checkout", "-q", name)
	do()
	w.git(w.clone, "checkout", "-q", "main")
}

func TestWays(t *testing.T) {
	cases := map[string]struct {
		do   func(w *world)
		want Way
	}{
		"open":             {func(w *world) {}, Way{}},
		"merged":           {func(w *world) { w.merge("refs/heads/t") }, Way{By: Merged}},
		"rebased":          {func(w *world) { w.advance("x", "x\n"); w.pick("t", 1, 0) }, Way{By: Rebased}},
		"half of it":       {func(w *world) { w.advance("x", "x\n"); w.pick("t", 1) }, Way{}},
		"squashed":         {func(w *world) { w.git(w.clone, "push", "-q", "origin", "t"); w.squash("t") }, Way{By: SquashMerged}},
		"squashed, more":   {func(w *world) { w.landedSquash(); w.onto("t", func() { w.more("t", "more\n") }) }, Way{}},
		"rebased, more":    {func(w *world) { w.advance("x", "x\n"); w.pick("t", 1, 0); w.onto("t", func() { w.more("u", "u\n") }) }, Way{}},
		"an empty commit":  {func(w *world) { w.onto("t", func() { w.commit(w.clone, "nothing") }); w.advance("x", "x\n") }, Way{}},
		"brought up, then": {func(w *world) { w.bringUp(); w.git(w.clone, "push", "-q", "origin", "t"); w.squash("t") }, Way{By: SquashMerged}},
		"brought up":       {func(w *world) { w.bringUp() }, Way{}},
		"reset to main":    {func(w *world) { w.git(w.clone, "branch", "-q", "-f", "t", "main") }, Way{Fresh: true}},
		"unrelated": {func(w *world) {
			w.git(w.clone, "checkout", "-q", "--orphan", "u")
			w.commit(w.clone, "root")
			w.git(w.clone, "branch", "-q", "-f", "t")
			w.git(w.clone, "checkout", "-q", "main")
		}, Way{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.branch("t")
			c.do(w)
			if got := w.ways(nil, "t")[0]; got != c.want {
				t.Errorf("got %+v; want %+v", got, c.want)
			}
		})
	}
}

func (w *world) landedSquash() {
	w.Helper()
	w.git(w.clone, "push", "-q", "origin", "t")
	w.squash("t")
}

// more commits a file in the clone.
func (w *world) more(file, text string) {
	w.Helper()
	w.write(w.clone, file, text)
	w.commit(w.clone, "more "+file)
}

// bringUp merges a newer default branch into the branch.
func (w *world) bringUp() {
	w.Helper()
	w.advance("x", "x\n")
	w.git(w.clone, "fetch", "-q", "origin")
	w.onto("t", func() { w.git(w.clone, "merge", "-q", "--no-edit", "origin/main") })
}

// One commit is the same by itself and as a whole, and content that was there before
// the branch began is not the branch's.
func TestWaysOfOneCommit(t *testing.T) {
	w := newWorld(t)
	w.advance("one", "one\n")
	w.git(w.clone, "pull", "-q", "origin", "main")
	w.git(w.clone, "branch", "early", "main")
	w.onto("early", func() { w.more("two", "two\n") })
	w.advance("x", "x\n")
	w.pick("early", 0)
	w.advance("two", "changed\n")
	w.advance("two", "two\n")
	w.git(w.clone, "checkout", "-q", "main")
	w.git(w.clone, "pull", "-q", "origin", "main")
	// The same change as advance made, from a base that has it already undone.
	w.advance("two", "changed\n")
	w.git(w.clone, "pull", "-q", "origin", "main")
	w.git(w.clone, "branch", "late", "main")
	w.onto("late", func() { w.more("two", "two\n") })
	got := w.ways(nil, "early", "late")
	if got[0].By != Rebased || got[1].By != "" {
		t.Errorf("got %+v; want rebased and nothing", got)
	}
}

func TestWaysByForge(t *testing.T) {
	w := newWorld(t)
	tip := w.branch("t")
	w.branch("u")
	pulls := &Pulls{byBranch: map[string][]pull{
		"t": {{State: "CLOSED", Branch: "t", Head: "x"}, {State: "MERGED", Branch: "t", Head: tip}},
		"u": {{State: "MERGED", Branch: "u", Head: tip}},
	}}
	got := w.ways(pulls, "t", "u")
	if got[0].By != ByForge || got[1] != (Way{}) {
		t.Errorf("got %+v", got)
	}
	// It needs no default branch to compare with; the rest does.
	ways, err := w.judge().Ways(context.Background(), []Claim{{Subject: Subject{Branch: "t", Tip: tip}}, {Subject: Subject{Branch: "u", Tip: tip + "x"}}}, pulls)
	if err != nil || ways[0].By != ByForge || !ways[1].Unknown {
		t.Errorf("got %+v, %v", ways, err)
	}
}

// The number of git calls does not depend on how many branches there are.
func TestWaysAtOnce(t *testing.T) {
	w := newWorld(t)
	var names []string
	for i := range 4 {
		for _, kind := range []string{"merged", "picked", "squashed", "open"} {
			name := fmt.Sprintf("%s%d", kind, i)
			w.branch(name)
			names = append(names, name)
			switch kind {
			case "merged":
				w.merge("refs/heads/" + name)
			case "picked":
				w.pick(name, 1, 0)
			case "squashed":
				w.git(w.clone, "push", "-q", "origin", name)
				w.squash(name)
			}
		}
	}
	count := func(names ...string) int {
		before := w.trace.count("trace:")
		for i, way := range w.ways(nil, names...) {
			want := []string{Merged, Rebased, SquashMerged, ""}[i%4]
			if way.By != want {
				t.Errorf("%s: %q; want %q", names[i], way.By, want)
			}
		}
		return w.trace.count("trace:") - before
	}
	if few, many := count(names[:4]...), count(names...); many > few {
		t.Errorf("%d git calls for %d branches, and %d for 4", many, len(names), few)
	}
}

// A branch that shares its name's past: renamed, copied, and reset to where it began.
func TestWaysOfReflogs(t *testing.T) {
	w := newWorld(t)
	w.branch("old")
	w.git(w.clone, "branch", "-m", "old", "renamed")
	w.git(w.clone, "branch", "-c", "renamed", "copied")
	w.git(w.clone, "branch", "made", "renamed")
	w.merge("refs/heads/renamed")
	got := w.ways(nil, "renamed", "made")
	if got[0].By != Merged || !got[1].Fresh {
		t.Errorf("got %+v; want merged and fresh", got)
	}
	// The copy brought its reflog; what this tool recorded when it cut the branch tells.
	ctx := context.Background()
	tip := w.git(w.clone, "rev-parse", "copied")
	w.git(w.clone, "branch", "-f", "copied", "main")
	own, err := w.judge().OwnCommits(ctx, []Claim{{Subject: Subject{Branch: "copied"}, Base: tip, Created: time.Now(), Log: filepath.Join(w.dir, "none")}})
	if err != nil || own[0] {
		t.Errorf("a copy that was reset has a commit of its own: %v, %v", own, err)
	}
}

func TestLocalDefault(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	base := func(remote string) string {
		t.Helper()
		j, err := Local(ctx, w.judge().repo)
		if err != nil {
			t.Fatal(err)
		}
		b, err := j.Base(ctx, remote)
		if err != nil {
			return err.Error()
		}
		return b.Ref
	}
	w.git(w.clone, "update-ref", "-d", "refs/remotes/origin/main")
	if got := base("origin"); got != ErrNoDefault.Error() {
		t.Errorf("nothing fetched: %s", got)
	}
	w.git(w.clone, "fetch", "-q", "origin")
	if got := base("origin"); got != "refs/heads/main" {
		t.Errorf("main alone: %s", got)
	}
	w.git(w.clone, "update-ref", "refs/remotes/origin/master", "main")
	w.git(w.clone, "update-ref", "refs/remotes/origin/trunk", "main")
	if got := base("origin"); got != ErrNoDefault.Error() {
		t.Errorf("main and master: %s", got)
	}
	w.git(w.clone, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	if got := base("origin"); got != "refs/heads/trunk" {
		t.Errorf("as set-head says: %s", got)
	}
	if got := base("nowhere"); got != ErrNoRemote.Error() {
		t.Errorf("no such remote: %s", got)
	}
	if n := w.trace.count("ls-remote") + w.trace.count("fetch"); n > 0 {
		t.Errorf("%d calls reached a remote", n)
	}
}
