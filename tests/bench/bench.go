package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// A bench is one run of the program.
type bench struct {
	runs int
	dir  string // scratch
	bin  string // the tools
	n    int    // a number for names that must be new
}

// A row is one comparison. Setup makes a repository and tells the two sides; each side's
// prepare runs untimed before each of its runs.
type row struct {
	name   string
	target float64 // ours over floor; 0 for none
	setup  func(b *bench, repo *repo) (floor, ours side)
}

// A side is a command that is timed.
type side struct {
	prepare func(i int) error
	run     func(i int) *exec.Cmd
}

// measure times both sides in turn.
func (b *bench) measure(r row) error {
	b.n++
	repo := &repo{bench: b, dir: filepath.Join(b.dir, fmt.Sprintf("row%d", b.n))}
	if err := os.MkdirAll(repo.dir, 0o755); err != nil {
		return err
	}
	floor, ours := r.setup(b, repo)
	if repo.err != nil {
		return repo.err
	}
	var f, o []float64
	calls := 0
	for i := range b.runs + 1 {
		tf, _, err := repo.time(floor, 2*i)
		if err != nil {
			return err
		}
		to, n, err := repo.time(ours, 2*i+1)
		if err != nil {
			return err
		}
		if i > 0 { // the first of each warms the caches
			f, o, calls = append(f, tf), append(o, to), n
		}
	}
	mf, mo := median(f), median(o)
	target := "-"
	if r.target > 0 {
		target = fmt.Sprintf("%.2f", r.target)
	}
	mark := ""
	if r.target > 0 && mo/mf > r.target {
		mark = "  over"
	}
	fmt.Printf("%-34s %10.2f %10.2f %7.2f %7s %5d%s\n", r.name, mf, mo, mo/mf, target, calls, mark)
	return os.RemoveAll(repo.dir)
}

func median(v []float64) float64 {
	sort.Float64s(v)
	return v[len(v)/2]
}

// time runs one side once, in milliseconds, and counts the git calls of its trace in a
// run of its own where the side may be repeated.
func (r *repo) time(s side, i int) (ms float64, calls int, err error) {
	if s.prepare != nil {
		if err := s.prepare(i); err != nil {
			return 0, 0, err
		}
	}
	cmd := s.run(i)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err = cmd.Run()
	ms = float64(time.Since(start).Microseconds()) / 1000
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out.String())
	}
	return ms, strings.Count(out.String(), "agent-worktree: trace:"), nil
}

// A repo is a scratch repository and the environment its commands run in.
type repo struct {
	*bench
	dir string
	err error
}

func (r *repo) path(parts ...string) string {
	return filepath.Join(append([]string{r.dir}, parts...)...)
}

// env is a scratch home, with the trace on for the counts.
func (r *repo) env() []string {
	env := []string{"HOME=" + r.path("home"), "XDG_DATA_HOME=" + r.path("data"), "XDG_STATE_HOME=" + r.path("state"),
		"GIT_CONFIG_NOSYSTEM=1", "AGENT_WORKTREE_NO_UPDATE_CHECK=1", "AGENT_WORKTREE_TRACE=1"}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "PATH=") {
			env = append(env, "PATH="+r.bin+":"+strings.TrimPrefix(v, "PATH="))
		}
	}
	return env
}

// cmd is a command in the repository's primary checkout.
func (r *repo) cmd(name string, args ...string) *exec.Cmd {
	if strings.HasPrefix(name, "aw-") || name == "agent-worktree" || name == "hello" {
		name = filepath.Join(r.bin, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = r.path("r"), r.env()
	return cmd
}

// sh runs a script in the repository, as part of the setting up.
func (r *repo) sh(script string) error {
	if r.err != nil {
		return r.err
	}
	cmd := r.cmd("sh", "-euc", script)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.err = fmt.Errorf("sh: %w\n%s\n%s", err, script, out)
	}
	return r.err
}

// make makes a repository of n files with an origin beside it.
func (r *repo) make(files int) {
	os.MkdirAll(r.path("home"), 0o755)
	os.MkdirAll(r.path("r"), 0o755)
	r.sh(`git config --global user.name bench; git config --global user.email bench@example.com
git config --global init.defaultBranch main; git config --global gc.auto 0; git config --global maintenance.auto false
git init -q .`)
	for i := range files {
		dir := r.path("r", fmt.Sprintf("d%d", i/40))
		os.MkdirAll(dir, 0o755)
		text := strings.Repeat(fmt.Sprintf("line %d of the file\n", i), 20)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d", i)), []byte(text), 0o644); err != nil {
			r.err = err
		}
	}
	r.sh(`git add .; git commit -qm one; git init -q --bare ../o.git; git remote add origin "$PWD/../o.git"; git push -qu origin main; git remote set-head origin main`)
}
