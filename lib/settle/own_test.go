package settle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// own asks about t, in its own worktree, against origin's main.
func (w *world) own(base string, created time.Time, log string) bool {
	w.Helper()
	ctx := context.Background()
	j := w.judge()
	rows, err := j.Judge(ctx, []Subject{{Branch: "t", Path: w.dir + "/wt"}})
	if err != nil {
		w.Fatal(err)
	}
	var answers []bool
	for _, into := range []string{rows[0].IntoCommit, rows[0].Into} {
		yes, err := j.OwnCommits(ctx, []Claim{{Subject: Subject{Branch: "t"}, Base: base, Created: created, Log: log, Into: into}})
		if err != nil {
			w.Fatal(err)
		}
		answers = append(answers, yes[0])
	}
	if answers[0] != answers[1] {
		w.Errorf("commit and name of the default branch answer differently: %v", answers)
	}
	return answers[0]
}

func TestOwnCommit(t *testing.T) {
	cases := map[string]struct {
		do      func(w *world, wt string)
		want    bool
		adopted bool // base null: the branch was there before
	}{
		"cut and never committed": {do: func(w *world, wt string) {}},
		"committed":               {want: true, do: func(w *world, wt string) { w.commit(wt, "own") }},
		"fast-forwarded": {do: func(w *world, wt string) {
			w.advance("more", "x\n")
			w.git(wt, "pull", "-q", "--ff-only", "origin", "main")
		}},
		"fast-forwarded over another's merge": {do: func(w *world, wt string) {
			w.landed("other")
			w.git(wt, "pull", "-q", "--ff-only", "origin", "main")
		}},
		"committed and reset": {do: func(w *world, wt string) {
			w.commit(wt, "own")
			w.git(wt, "reset", "-q", "--hard", "HEAD~1")
		}},
		"committed, reset and collected": {do: func(w *world, wt string) {
			w.commit(wt, "own")
			w.git(wt, "reset", "-q", "--hard", "HEAD~1")
			w.git(wt, "update-ref", "-d", "ORIG_HEAD")
			loose := w.git(wt, "rev-parse", "HEAD@{1}")
			if err := os.Remove(filepath.Join(w.clone, ".git/objects", loose[:2], loose[2:])); err != nil {
				w.Fatal(err)
			}
		}},
		"pushed to the default branch itself": {want: true, do: func(w *world, wt string) {
			w.commit(wt, "own")
			w.git(wt, "push", "-q", "origin", "t:main")
			w.advance("more", "x\n")
			w.git(wt, "pull", "-q", "--ff-only", "origin", "main")
		}},
		"merged the default branch": {want: true, do: func(w *world, wt string) {
			w.advance("more", "x\n")
			w.git(wt, "fetch", "-q", "origin")
			w.git(wt, "merge", "-q", "--no-ff", "--no-edit", "origin/main")
		}},
		"rebased": {want: true, do: func(w *world, wt string) {
			w.write(wt, "own", "x\n")
			w.commit(wt, "own")
			w.advance("more", "x\n")
			w.git(wt, "fetch", "-q", "origin")
			w.git(wt, "rebase", "-q", "origin/main")
			w.git(wt, "push", "-q", "origin", "t:main")
			w.git(w.clone, "reflog", "expire", "--expire=all", "refs/heads/t")
		}},
		"made on a branch that was there": {adopted: true, do: func(w *world, wt string) {}},
		"the same, committed":             {adopted: true, want: true, do: func(w *world, wt string) { w.commit(wt, "own") }},
		"the same, its reflog expired": {adopted: true, want: true, do: func(w *world, wt string) {
			w.git(w.clone, "reflog", "expire", "--expire=all", "refs/heads/t")
		}},
		"cut here, the reflogs expired": {do: func(w *world, wt string) {
			w.git(w.clone, "reflog", "expire", "--expire=all", "--all")
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			base := w.git(w.clone, "rev-parse", "main")
			wt := filepath.Join(w.dir, "wt")
			w.git(w.clone, "worktree", "add", "-q", "--no-track", "-b", "t", wt, "main")
			c.do(w, wt)
			if c.adopted {
				base = ""
			}
			if got := w.own(base, time.Now().Add(time.Second), filepath.Join(w.clone, ".git/worktrees/wt/logs/HEAD")); got != c.want {
				t.Errorf("own commit: %v; want %v", got, c.want)
			}
		})
	}
}

func TestReflogThatBeginsLate(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "branch", "t", "main")
	if !w.own("", time.Now().Add(-time.Hour), "") {
		t.Error("a reflog younger than the entry answers for what came before it")
	}
	if w.own("", time.Now().Add(time.Hour), "") {
		t.Error("a branch at the default branch has a commit of its own")
	}
}

func TestMakes(t *testing.T) {
	yes := []string{"commit: x", "commit (initial): x", "commit (amend): x", "commit (merge): x", "cherry-pick: x", "am: x",
		"revert: Revert x", "rebase (pick): x", "rebase -i (pick): x", "rebase (squash): x", "rebase (continue): x",
		"pull --rebase origin main (pick): x", "merge a: Merge made by the 'ort' strategy.", "pull: Merge made by the 'ort' strategy."}
	no := []string{"", "branch: Created from HEAD", "checkout: moving from a to b", "reset: moving to HEAD~1",
		"merge origin/main: Fast-forward", "pull: Fast-forward", "pull --ff-only (x): Fast-forward"[:11] + ": Fast-forward",
		"rebase (start): checkout main", "rebase (finish): refs/heads/t onto x", "rebase (abort): updating HEAD",
		"rebase finished: refs/heads/t onto x", "clone: from x", "update by push", "commitment"}
	for _, m := range yes {
		if !makes(m) {
			t.Errorf("%q makes no commit", m)
		}
	}
	for _, m := range no {
		if makes(m) {
			t.Errorf("%q makes a commit", m)
		}
	}
}

func TestParseMove(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	m, ok := parseMove(a + " " + b + " A > B <a@example.com> 1700000000 +0100\tcommit: x > y")
	if !ok || m.id != b || m.at != 1700000000 || m.what != "commit: x > y" {
		t.Errorf("%+v %v", m, ok)
	}
	for _, bad := range []string{"", "x", a + " " + b, a + " " + b + " A <a>\tx"} {
		if _, ok := parseMove(bad); ok {
			t.Errorf("%q parses", bad)
		}
	}
}

// TestOwnCommitsTogether: many branches are judged in as many git calls as few, each as it
// would be alone, also beside one whose base is gone.
func TestOwnCommitsTogether(t *testing.T) {
	w := newWorld(t)
	base := w.git(w.clone, "rev-parse", "main")
	commit := func(message string, parents ...string) string {
		args := []string{"commit-tree", "-m", message}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return w.git(w.clone, append(args, "main^{tree}")...)
	}
	one := commit("one", base)
	side := commit("side", base)
	two := commit("two", one, side)
	three := commit("three", two)
	gone := strings.Repeat("9", 40)
	cases := []struct {
		base, tip string
		made      string // a commit that the reflog says was made here
		want      bool
	}{
		{base: base, tip: base},                       // cut and left
		{base: base, tip: one},                        // followed the default branch
		{base: base, tip: two},                        // and over another's merge
		{base: base, tip: side, want: true},           // went beside it
		{base: two, tip: side},                        // behind its base
		{base: two, tip: two, made: side, want: true}, // made what it began with
		{base: one, tip: three, made: side, want: true},
		{base: base, tip: one, made: side},
		{base: base, tip: one, made: gone},
		{base: one, tip: two, made: one, want: true},
		{base: gone, tip: side},
		{base: gone, tip: side, made: base, want: true},
	}
	var claims []Claim
	for i, c := range cases {
		name := "b" + strings.Repeat("x", i)
		w.git(w.clone, "update-ref", "-m", "branch: Created from x", "refs/heads/"+name, c.tip)
		claims = append(claims, Claim{Subject: Subject{Branch: name, Tip: c.tip}, Base: c.base, Into: three, Created: time.Now()})
		if c.made != "" {
			log := filepath.Join(w.dir, name)
			w.write(w.dir, name, gone+" "+c.made+" A <a@example.com> 1 +0000\tcommit: x\n")
			claims[i].Log = log
		}
	}
	ctx := context.Background()
	calls := func(claims []Claim) int {
		before := w.trace.count("agent-worktree: trace:")
		if _, err := w.judge().OwnCommits(ctx, claims); err != nil {
			t.Fatal(err)
		}
		return w.trace.count("agent-worktree: trace:") - before
	}
	own, err := w.judge().OwnCommits(ctx, claims)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		alone, err := w.judge().OwnCommits(ctx, claims[i:i+1])
		if err != nil || own[i] != c.want || alone[0] != c.want {
			t.Errorf("%+v: together %v, alone %v, %v; want %v", c, own[i], alone, err, c.want)
		}
	}
	whole := claims[:len(claims)-2] // those whose base is here
	if few, many := calls(whole[5:8]), calls(whole); few != many || many > 5 {
		t.Errorf("%d git calls for 3 branches, %d for %d; want the same, at most 5", few, many, len(whole))
	}
}
