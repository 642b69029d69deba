//go:build unix

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// hurtGit stands before git on PATH. At call AW_GIT_AT it does what AW_GIT_HOW says:
//
//	before   we are killed, and git does not run
//	after    git runs, then we are killed
//	midway   git is killed somewhere on its way, with all it started, and so are we
//	dies     git alone is killed on its way
//	orphan   we are killed, and git goes on by itself
//	fails    git does not run, and fails in words of its own
//	did      git runs, and is killed when it is done
//	traced   git is killed at a system call that changes something: AW_GIT_INJECT
const hurtGit = `#!/bin/sh
n=$(($(cat "$WORLD/git.calls" 2>/dev/null || echo 0) + 1))
echo $n >"$WORLD/git.calls"
real=$AW_GIT_REAL
[ "$n" = "${AW_GIT_AT:-0}" ] || exec "$real" "$@"
echo "$*" >"$WORLD/git.hurt"
case $AW_GIT_HOW in
before) kill -KILL $PPID; exit 137 ;;
after) "$real" "$@"; kill -KILL $PPID; exit 137 ;;
midway) exec setsid -w sh -c '"$0" "$@" & sleep 0.00$AW_GIT_WAIT; kill -KILL '$PPID'; kill -KILL -$$' "$real" "$@" ;;
dies) setsid -w sh -c '"$0" "$@" & sleep 0.00$AW_GIT_WAIT; kill -KILL -$$' "$real" "$@"; kill -KILL $$ ;;
orphan) kill -KILL $PPID; sleep 0.01; exec "$real" "$@" ;;
fails) echo 'fatal: injected: something is wrong' >&2; exit 128 ;;
did) "$real" "$@"; kill -KILL $$ ;;
traced) strace -f -qq -o /dev/null -e trace="$AW_GIT_CALL" -e inject="$AW_GIT_CALL:signal=SIGKILL:when=$AW_GIT_WHEN" "$real" "$@"
	status=$?
	[ $status -gt 128 ] || exit $status
	: >"$WORLD/git.killed"
	[ -z "$AW_GIT_WITH" ] || kill -KILL $PPID
	kill -KILL $$ ;;
esac
`

var gitHurts = []string{"before", "after", "midway", "midway", "dies", "dies", "orphan", "fails", "did"}

// hurting is the environment in which git is hurt at its call at.
func (f *trial) hurting(at int, how string, more ...string) []string {
	path := strings.Join([]string{f.at("hooks"), f.bin, os.Getenv("PATH")}, string(filepath.ListSeparator))
	return append([]string{"PATH=" + path, "AW_GIT_REAL=" + realGit(), fmt.Sprint("AW_GIT_AT=", at), "AW_GIT_HOW=" + how}, more...)
}

var realGit = sync.OnceValue(func() string {
	path, _ := exec.LookPath("git")
	return path
})

// gitCalls is how many times the verb starts git when nothing happens.
func (f *trial) gitCalls() int {
	f.reset()
	c := f.call(f.world)
	c.env = append(slices.Clone(c.env), f.hurting(0, "")...)
	f.run(c)
	text, _ := os.ReadFile(f.at("git.calls"))
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

// hurtCalls lets git itself die, fail or outlive us at each of its calls.
func (f *trial) hurtCalls() {
	calls, found := f.gitCalls(), f.found
	type gitHit struct {
		at  int
		how string
	}
	var hits []gitHit
	for n := 1; n <= calls; n++ {
		for _, how := range gitHurts {
			hits = append(hits, gitHit{n, how})
		}
	}
	f.rand.Shuffle(len(hits), func(i, j int) { hits[i], hits[j] = hits[j], hits[i] })
	if !full("AW_FAULT") {
		hits = hits[:min(len(hits), 1)]
	}
	for i, h := range hits {
		f.reset()
		c := f.call(f.world)
		hurt := c
		hurt.env = append(slices.Clone(c.env), f.hurting(h.at, h.how, fmt.Sprint("AW_GIT_WAIT=", f.rand.IntN(6)))...)
		f.hurtOne(fmt.Sprintf("git %s at call %d", h.how, h.at), hurt, c, full("AW_FAULT") && i%16 == 0)
		if f.found > 8 {
			f.Errorf("%s: more than 8 violations; the rest of its calls is left out", f.name)
			break
		}
	}
	faults.count(f.name+" git", calls, len(hits), f.found-found)
}

// hurtOne runs the verb with git hurt, then checks and converges without.
func (f *trial) hurtOne(what string, hurt, c call, deep bool) {
	a := f.run(hurt)
	f.orphaned = strings.HasPrefix(what, "git orphan")
	args, _ := os.ReadFile(f.at("git.hurt"))
	if f.serverClears { // a server's locks are the server's affair, and here it was killed with us
		exec.Command("find", f.at("origin.git"), "-name", "*.lock", "-delete").Run()
	}
	var problems []string
	if a.signal == 0 {
		problems = misspoken(a)
	}
	f.after(what+": "+strings.TrimSpace(string(args)), a, problems, c, deep)
	f.orphaned = false
}

// changing are the system calls by which git changes something, as strace names them.
var changing = []string{"mkdir", "rename", "link", "unlink", "rmdir", "openat", "write", "ftruncate", "chmod"}

// TestFaultTraced kills git at each of its own system calls that change something, alone
// and together with us: what a power cut in the middle of git leaves. It needs strace,
// and time.
func TestFaultTraced(t *testing.T) {
	if !full("AW_FAULT") {
		t.Skip("the long form alone")
	}
	if exec.Command("strace", "-qq", "-o", "/dev/null", "true").Run() != nil {
		t.Skip("needs strace")
	}
	bin := faulty(t)
	t.Run("calls", func(t *testing.T) {
		for _, name := range []string{"create", "create_existing", "create_from", "remove", "restore", "prune"} {
			i := slices.IndexFunc(faultScenarios, func(s scenario) bool { return s.name == name })
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				newTrial(t, bin, faultScenarios[i]).traceCalls()
			})
		}
	})
	tracedFaults.print("git killed at its own changing system calls")
}

var tracedFaults = tally{points: map[string]int{}, tried: map[string]int{}, broken: map[string]int{}}

// traceCalls goes through git's calls, and in each through its changing system calls.
func (f *trial) traceCalls() {
	tried := 0
	calls := f.gitCalls()
	for n := 1; n <= calls && f.found <= 8; n++ {
		for _, name := range changing {
			for when := 1; f.found <= 8; when++ {
				f.reset()
				c := f.call(f.world)
				hurt := c
				hurt.env = append(slices.Clone(c.env), f.hurting(n, "traced", "AW_GIT_CALL="+name, fmt.Sprint("AW_GIT_WHEN=", when))...)
				if (n+when)%2 == 0 {
					hurt.env = append(hurt.env, "AW_GIT_WITH=us")
				}
				f.serverClears = true
				f.hurtOne(fmt.Sprintf("git killed at its %s %d, call %d", name, when, n), hurt, c, false)
				if !there(f.at("git.killed")) {
					break
				}
				tried++
			}
		}
	}
	tracedFaults.count(f.name, tried, tried, f.found)
}

var exitOf = map[string]int{"SIGHUP": 129, "SIGINT": 130, "SIGTERM": 143}

// signals sends a signal at every point: the exit status is 128 and the signal's number,
// nothing is on stdout, and the next run converges. Until a git is started or a record
// written it may end the process by itself, which a shell calls by the same number.
func (f *trial) signals(points []string) {
	unwatched := 1 + slices.IndexFunc(points, func(p string) bool { return strings.Contains(p, " git ") || strings.Contains(p, " sync ") })
	var hits []hit
	for n := range points {
		hits = append(hits, hit{n + 1, pick(n, "SIGTERM", "SIGINT", "SIGHUP")})
	}
	f.rand.Shuffle(len(hits), func(i, j int) { hits[i], hits[j] = hits[j], hits[i] })
	if !full("AW_FAULT") {
		hits = hits[:min(len(hits), 1)]
	}
	found := f.found
	for _, h := range hits {
		f.signalAt(h, points[h.at-1], exitOf[h.kind], h.at <= unwatched)
	}
	faults.count(f.name+" signals", len(hits), len(hits), f.found-found)
}

func (f *trial) signalAt(h hit, point string, want int, mayDie bool) {
	f.reset()
	c := f.call(f.world)
	hurt := c
	hurt.env = append(slices.Clone(c.env), fmt.Sprint("AW_FAULT_AT=", h.at), "AW_FAULT_KIND="+h.kind)
	a := f.run(hurt)
	var problems []string
	// One that comes after the last step changes nothing any more.
	if a.status != want && a.status != 0 && !(mayDie && 128+int(a.signal) == want) {
		problems = append(problems, fmt.Sprintf("exit %d; want %d", a.status, want))
	}
	if a.status != 0 && a.stdout != "" {
		problems = append(problems, "it printed "+a.stdout)
	}
	f.after(h.kind+" at point "+point, a, problems, c, false)
}

// TestFaultNoGit runs the verbs where there is no git: each names that as the cause and
// leaves nothing.
func TestFaultNoGit(t *testing.T) {
	w := newWorld(t, tools(t))
	w.must("create", "a")
	before := w.state()
	for _, args := range [][]string{{"create", "b"}, {"remove", "a"}, {"prune"}, {"ls"}, {"restore", "x"}} {
		cmd := w.command(call{args: args})
		cmd.Env = append(w.env, "PATH="+filepath.Join(w.root, "nothing"))
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		a := ended(call{args: args}, err, out.String(), errs.String())
		if a.status != 1 || len(misspoken(a)) > 0 || args[0] != "restore" && !strings.Contains(a.doc.Error.Message, "git is not on PATH") {
			t.Errorf("%s", a)
		}
	}
	diff := slices.DeleteFunc(differ(w.state(), before), func(line string) bool { // restore makes its place
		return strings.HasPrefix(line, "+ dir /trash")
	})
	if len(diff) > 0 {
		t.Errorf("left behind: %s", strings.Join(diff, "\n"))
	}
}
