//go:build unix

package tests

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cniska/agent-worktree/lib/place"
)

// A deed is one act that a refusal names, tried: a world in which a command meets the
// refusal, what the refusal says, and what is left of it once that was done.
//
// world, hand, run and again are sh, run in the clone, $T/repo. There $T is the case's own
// directory, $P the place of the worktree a, and deedWords can be said.
type deed struct {
	code string // of the refusal; "" where the act stands in a row of a result
	row  string // where the act stands in the document; "" is error.resolve
	name string // what is particular about it

	world string // brings it about; exit 77 where that needs what this machine has not
	in    string // the directory that the command runs in, where not the clone
	run   string // the command
	says  string // the act's text: … is any text, {} what a shell runs. "" is {}

	hand string // what a person does before what a shell can run
	why  string // why a person
	pick string // what a person puts in the place of the words in <>, in their order
	goes bool   // the act is to go elsewhere: the command is run again where it led

	again string // the command that is run then, where the act is to run another
	left  string // what that refuses with, where it refuses something else
	user  bool   // root passes every mode, so the command runs without root's rights
}

// deeds are every act there is. TestActOfEveryCode holds them to the codes, and
// everyText to the texts in the source.
var deeds = slices.Concat(nameDeeds, branchDeeds, stateDeeds, goneDeeds, guardDeeds, removalDeeds, hookDeeds, otherDeeds, faultDeeds, doctorDeeds)

// deedWords can be said in every script of a deed.
const deedWords = `set -eu
skip() { exit 77; }
root() { [ "$(id -u)" = 0 ] || skip; }
aw() { agent-worktree "$@" >$T/out 2>&1; }
path() { agent-worktree path --plain "$1"; }
commit() { git -C "$1" add -A; git -C "$1" commit -q -m more; }
program() { mkdir -p "${1%/*}"; printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
origin() { git clone -q --bare . $T/origin.git; git remote add origin $T/origin.git; git fetch -q origin; }
create_event() { printf '{"hook_event_name":"WorktreeCreate","cwd":"%s","name":"%s"}' "$T/repo" "$1" >$T/event; }
remove_event() { printf '{"hook_event_name":"WorktreeRemove","cwd":"%s","worktree_path":"%s"}' "$T/repo" "$1" >$T/event; }
`

// met are the texts that the deeds met, and how many deeds met none.
var met struct {
	sync.Mutex
	texts   []string
	skipped int
}

// TestEveryActIsTried does what each refusal says: the command does not meet the refusal
// again. (NF-2)
func TestEveryActIsTried(t *testing.T) {
	bin := tools(t)
	alone(t) // some claim ports
	t.Run("deeds", func(t *testing.T) {
		for _, d := range deeds {
			t.Run(strings.Trim(d.code+" "+d.name, " "), func(t *testing.T) {
				t.Parallel()
				newTry(t, bin, d).do()
			})
		}
	})
	if !t.Failed() {
		everyText(t)
	}
}

// A try is one run of a deed.
type try struct {
	*testing.T
	deed
	root  string
	env   []string
	start string // the shell's way to where the command runs
}

func newTry(t *testing.T, bin string, d deed) *try {
	t.Helper()
	root, err := os.MkdirTemp(fast(), "aw-act-")
	checkout, wrong := filepath.Abs("..")
	if err = errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	y := &try{T: t, deed: d, root: root}
	t.Cleanup(y.clear)
	y.env = append(scratchEnv(t, root), "T="+root, "BIN="+bin, "ROOT="+checkout, "TMPDIR="+root, "STORE="+filepath.Join(root, "data", "agent-worktree"),
		"P="+filepath.Join(root, "data", "agent-worktree", place.Key(filepath.Join(root, "repo")), "a"),
		"PATH="+filepath.Join(root, "bin")+":"+bin+":"+os.Getenv("PATH"), "GIT_EDITOR=true")
	y.start = "cd \"" + d.in + "\"\n"
	if d.in == "" {
		y.start = "cd $T/repo\n"
	}
	return y
}

// firstWorld is what every world begins with. An act that needs another account's rights
// gets them from this sudo, which is asked no password.
const firstWorld = `mkdir $T/bin
printf '#!/bin/sh\nexec "$@"\n' >$T/bin/sudo
chmod +x $T/bin/sudo
git init -q $T/repo
cd $T/repo
printf 'ignored\n' >.gitignore
echo a >a
git add .
git commit -q -m first
`

// clear deletes the world, what is mounted in it first.
func (y *try) clear() {
	mounts, _ := os.ReadFile("/proc/mounts")
	for _, line := range strings.Split(string(mounts), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], y.root+"/") {
			exec.Command("umount", "-l", fields[1]).Run()
		}
	}
	if os.RemoveAll(y.root) != nil {
		exec.Command("chattr", "-R", "-i", y.root).Run()
		exec.Command("chmod", "-R", "u+rwx", y.root).Run()
		forceRemove(y.root)
	}
}

// do is the whole try.
func (y *try) do() {
	if _, err := y.sh(false, deedWords+firstWorld+y.world); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 77 {
			met.Lock()
			met.skipped++
			met.Unlock()
			y.Skip("this machine cannot bring it about")
		}
		y.Fatalf("the world: %v", err)
	}
	text := y.meet()
	commands := y.commands(text)
	if y.hand != "" {
		if _, err := y.sh(false, deedWords+"cd $T/repo 2>/dev/null || cd $T\n"+y.hand); err != nil {
			y.Fatalf("by hand: %v", err)
		}
	}
	act, rights := strings.Join(commands, "\n"), y.user && !strings.Contains(text, "sudo ")
	if !y.goes {
		if _, err := y.sh(rights, y.start+"set -e\n"+act); err != nil {
			y.Fatalf("the act %q: %v", act, err)
		}
		act = ""
	}
	y.rerun(text, act)
}

// meet runs the command and returns the act that it names.
func (y *try) meet() string {
	y.Helper()
	doc, err := y.answer(y.start + y.run)
	if doc["error.code"] != y.code {
		y.Fatalf("%s: refused as %q; want %q\n%v", y.run, doc["error.code"], y.code, err)
	}
	text := doc["error.resolve"]
	if y.row != "" {
		text = doc[y.row]
	}
	if text == "" {
		y.Fatalf("%s names no act\n%v", y.run, doc)
	}
	met.Lock()
	met.texts = append(met.texts, text)
	met.Unlock()
	return text
}

// commands are the parts of the text that a shell runs.
func (y *try) commands(text string) []string {
	y.Helper()
	if y.says == "" {
		y.says = "{}"
	}
	form := regexp.QuoteMeta(y.says)
	form = strings.ReplaceAll(strings.ReplaceAll(form, "…", ".*?"), `\{\}`, "(.+?)")
	m := regexp.MustCompile("^(?:" + form + ")$").FindStringSubmatch(text)
	if m == nil {
		y.Fatalf("the act is %q; want %q", text, y.says)
	}
	picks := strings.Fields(y.pick)
	for i, command := range m[1:] {
		m[i+1] = regexp.MustCompile(`<[a-z ]+>`).ReplaceAllStringFunc(command, func(word string) string {
			if len(picks) == 0 {
				y.Fatalf("the act %q has %s, for which nothing is picked", text, word)
			}
			word, picks = strings.ReplaceAll(picks[0], "$T", y.root), picks[1:]
			return word
		})
	}
	return m[1:]
}

// rerun runs the command again, after an act that goes elsewhere in one shell with it.
func (y *try) rerun(text, act string) {
	y.Helper()
	command := y.run
	if y.again != "" {
		command = y.again
	}
	doc, err := y.answer(deedWords + y.start + act + "\n" + command)
	switch {
	case y.row != "" && doc[y.row] == text:
		y.Errorf("%s says the same again: %q", command, text)
	case doc["error.code"] == y.code && y.code != "":
		y.Errorf("%s meets %s again, after %q\n%v", command, y.code, text, err)
	case doc["error.code"] != y.left, y.left == "" && y.row == "" && err != nil:
		y.Errorf("%s is refused as %q; want %q\n%v", command, doc["error.code"], y.left, err)
	}
}

// answer runs a command and returns its document.
func (y *try) answer(script string) (map[string]string, error) {
	y.Helper()
	out, err := y.sh(y.user, script)
	return parse(out), err
}

// sh runs a script and returns what it printed; an error has it too.
func (y *try) sh(user bool, script string) (string, error) {
	y.Helper()
	args := []string{"sh", "-c", script}
	if user && os.Geteuid() == 0 {
		args = append([]string{"setpriv", "--inh-caps=-all", "--bounding-set=-all"}, args...)
	}
	cmd := exec.CommandContext(y.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = y.root, y.env, time.Minute
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%w\n%s\n%s", err, script, &out)
	}
	return out.String(), err
}
