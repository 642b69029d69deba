package tests

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are what scripts can say beyond testscript's own words. Each
// function's comment gives its form.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":    exits,
	"refused":  refused,
	"act":      act,
	"field":    field,
	"is":       is,
	"repo":     repo,
	"origin":   origin,
	"wait-for": waitFor,
	"listen":   listen,
	"quiet":    quiet,
	"accepted": accepted,
	"block":    block,
	"fill":     fill,
}

// need fails the script unless it gave at least n arguments and no "!".
func need(ts *testscript.TestScript, neg bool, args []string, n int, form string) {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", form)
	}
}

// run runs a program and returns its exit status.
func run(ts *testscript.TestScript, args []string) int {
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%s: %v", args[0], err)
	return -1
}

// exits N command...: the command ends with exactly this status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "exits N command...")
	if got := run(ts, args[1:]); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d; want %s", got, args[0])
	}
}

// refused code command...: the command prints nothing, ends with 1 (2 for
// usage) and its stderr ends in the envelope of a refusal with that code, which
// says what was refused and what to do. $RESOLVE holds the act.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "refused code command...")
	want := 1
	if args[0] == "usage" {
		want = 2
	}
	if got := run(ts, args[1:]); got != want {
		ts.Fatalf("exit status %d; want %d", got, want)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout %q; want none", out)
	}
	doc := parse(ts.ReadFile("stderr"))
	for key, want := range map[string]string{"ok": "false", "error.kind": "refusal", "error.code": args[0]} {
		if doc[key] != want {
			ts.Fatalf("%s is %q; want %q", key, doc[key], want)
		}
	}
	if doc["error.message"] == "" || doc["error.resolve"] == "" {
		ts.Fatalf("message %q, resolve %q; want both", doc["error.message"], doc["error.resolve"])
	}
	ts.Setenv("RESOLVE", doc["error.resolve"])
}

// act command...: the last refusal's act contains this command, and running it
// succeeds.
func act(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "act command...")
	command := strings.Join(args, " ")
	if !strings.Contains(ts.Getenv("RESOLVE"), command) {
		ts.Fatalf("act %q; want it to hold %q", ts.Getenv("RESOLVE"), command)
	}
	if status := run(ts, []string{"sh", "-c", command}); status != 0 {
		ts.Fatalf("exit status %d; want 0", status)
	}
}

// last returns the envelope of the last command: stdout's, else stderr's.
func last(ts *testscript.TestScript) map[string]string {
	if doc := parse(ts.ReadFile("stdout")); doc != nil {
		return doc
	}
	return parse(ts.ReadFile("stderr"))
}

// field key VAR: puts a field of the last envelope into a variable.
func field(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "field key VAR")
	value, ok := last(ts)[args[0]]
	if !ok {
		ts.Fatalf("no field %s", args[0])
	}
	ts.Setenv(args[1], value)
}

// is key value: a field of the last envelope has (or has not) this value.
func is(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, false, args, 2, "[!] is key value")
	value, ok := last(ts)[args[0]]
	if !ok {
		ts.Fatalf("no field %s", args[0])
	}
	if (value == args[1]) == neg {
		ts.Fatalf("%s is %q", args[0], value)
	}
}

// git runs git in dir for a helper.
func git(ts *testscript.TestScript, dir string, args ...string) {
	if status := run(ts, append([]string{"git", "-C", dir}, args...)); status != 0 {
		ts.Fatalf("git %v: exit status %d", args, status)
	}
}

// repo dir: makes a repository whose one commit, on main, holds what dir holds;
// project hooks that run are made executable.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "repo dir")
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for _, hook := range []string{"setup", "teardown"} {
		err := os.Chmod(filepath.Join(dir, ".worktree-hooks", hook), 0o755)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			ts.Fatalf("%v", err)
		}
	}
	git(ts, dir, "init", "-q")
	git(ts, dir, "add", "-A")
	git(ts, dir, "commit", "-q", "--allow-empty", "-m", "first")
}

// origin [dir]: makes a bare repository (../origin.git), names it as this
// repository's remote origin and pushes main to it, with no upstream.
func origin(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(strings.Join(append(args, "../origin.git")[:1], ""))
	git(ts, ".", "init", "-q", "--bare", dir)
	git(ts, ts.MkAbs("."), "remote", "add", "origin", dir)
	git(ts, ts.MkAbs("."), "push", "-q", "origin", "main")
}

// waitFor polls: wait-for command... runs the command until it succeeds, at
// most ten seconds.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "wait-for command...")
	for end := time.Now().Add(10 * time.Second); run(ts, args) != 0; {
		if time.Now().After(end) {
			ts.Fatalf("%v did not succeed in ten seconds", args)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A listener stands for a program that is using a port.
type listener struct {
	net.Listener
	connections atomic.Int32
}

func (l *listener) serve() {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		l.connections.Add(1)
		conn.Close()
	}
}

// held holds every script's listeners by address. Only serial scripts listen.
var held = map[string]*listener{}

func hold(ts *testscript.TestScript, address string) {
	l, err := net.Listen("tcp", address)
	ts.Check(err)
	held[address] = &listener{Listener: l}
	go held[address].serve()
	ts.Defer(func() { release(address) })
}

func release(address string) {
	if l, ok := held[address]; ok {
		l.Close()
		delete(held, address)
	}
}

// listen address...: another program listens there until the script ends.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "listen address...")
	for _, address := range args {
		hold(ts, address)
	}
}

// quiet [address...]: those listeners stop; without an address, all do.
func quiet(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		for address := range held {
			args = append(args, address)
		}
	}
	for _, address := range args {
		release(address)
	}
}

// accepted address...: each listener has had a connection.
func accepted(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "accepted address...")
	for _, address := range args {
		if held[address] == nil || held[address].connections.Load() == 0 {
			ts.Fatalf("%s accepted no connection", address)
		}
	}
}

// Where port blocks lie (FR-51).
const firstPort, lastPort, unit = 24000, 24999, 10

// listening reports whether a program listens in the unit that starts at port.
func listening(port int) bool {
	for p := port; p < port+unit; p++ {
		for _, host := range []string{"127.0.0.1", "::1"} {
			conn, err := net.Dial("tcp", net.JoinHostPort(host, strconv.Itoa(p)))
			if err == nil {
				conn.Close()
				return true
			}
		}
	}
	return false
}

// block N VAR [VAR]: finds the lowest block of N ports that no program listens
// on, each one after the one before, and sets VAR and VAR_LAST to its ends and
// VAR_UNITS to its units.
func block(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "block N VAR...")
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	size := (n + unit - 1) / unit * unit
	first, run := firstPort, 0
	for port := firstPort; port <= lastPort && len(args) > 1; port += unit {
		if run += unit; listening(port) {
			first, run = port+unit, 0
		}
		if run == size {
			ts.Setenv(args[1], strconv.Itoa(first))
			ts.Setenv(args[1]+"_LAST", strconv.Itoa(first+size-1))
			ts.Setenv(args[1]+"_UNITS", units(first, size))
			first, run, args = port+unit, 0, append(args[:1], args[2:]...)
		}
	}
	if len(args) > 1 {
		ts.Fatalf("no free block of %d ports", n)
	}
}

func units(first, size int) string {
	var list []string
	for port := first; port < first+size; port += unit {
		list = append(list, strconv.Itoa(port))
	}
	return strings.Join(list, " ")
}

// fill [port...]: other programs listen in every unit but those that start at
// these ports.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	spared := " " + strings.Join(args, " ") + " "
	for port := firstPort; port <= lastPort; port += unit {
		if !strings.Contains(spared, fmt.Sprintf(" %d ", port)) && !listening(port) {
			hold(ts, fmt.Sprintf("127.0.0.1:%d", port+3))
		}
	}
}
