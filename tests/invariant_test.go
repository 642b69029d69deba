//go:build unix

package tests

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The invariants that hold in a world at any time, whatever was killed in it:
//
//	I1 no byte and no commit of the user's is lost
//	I2 nothing outside the store, our refs and the ledger changed
//	I3 the ledger parses
//	I5 no port unit is in two blocks; after prune none is without an owner
//	I6 no admin directory of git's is left over
//	I7 git works, and no lock file is left
//	I8 one envelope or none, and the exit status that goes with it
//
// I4, that the next run converges, is a comparison of two states (state); I9 to I12 are
// parts of it, of I8, and of how long a run may take.

// stamp is a removal's time in names of trash entries and anchors.
var stamp = regexp.MustCompile(`\d{8}T\d{6}Z(-\d+)?`)

// state is all that two worlds are compared by, one fact a line, without times, process
// ids and the numbers of ports.
func (w *world) state() []string {
	w.Helper()
	var s []string
	add := func(format string, args ...any) {
		s = append(s, stamp.ReplaceAllString(fmt.Sprintf(format, args...), "<time>"))
	}
	for _, repo := range []string{"repo", "origin.git"} {
		if !there(w.at(repo)) {
			continue
		}
		for _, line := range lines(w.soft(repo, "for-each-ref", "--format=%(refname) %(objectname)")) {
			// prune clears the fetched refs of the dead; a tracking ref follows on occasion.
			if !strings.HasPrefix(line, "refs/agent-worktree/fetch/") && !strings.HasPrefix(line, "refs/remotes/") {
				add("ref %s %s", repo, line)
			}
		}
	}
	for _, record := range strings.Split(w.soft("repo", "worktree", "list", "--porcelain"), "\n\n") {
		add("git %s", strings.ReplaceAll(record, "\n", " "))
	}
	config, _ := os.ReadFile(w.at("repo/.git/config"))
	add("config %x", sha256.Sum256(config))
	w.ledgerState(add)
	w.adminState(add)
	w.storeState(add)
	slices.Sort(s)
	return s
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// soft runs git and gives what it prints, its failure among it.
func (w *world) soft(dir string, args ...string) string {
	out, err := w.tryGit(dir, args...)
	if err != nil {
		return fmt.Sprintf("FAILED %v: %s", err, out)
	}
	return out
}

type adder func(format string, args ...any)

func (w *world) ledgerState(add adder) {
	files, _ := os.ReadDir(w.at("repo/.git/agent-worktrees"))
	for _, f := range files {
		name := f.Name()
		if name == ".lock" || strings.HasSuffix(name, ".lock") && there(w.at("repo/.git/agent-worktrees/"+strings.TrimSuffix(name, ".lock")[1:]+".json")) {
			continue
		}
		data, err := os.ReadFile(w.at("repo/.git/agent-worktrees/" + name))
		var entry map[string]any
		if err != nil || !strings.HasSuffix(name, ".json") || json.Unmarshal(data, &entry) != nil {
			add("ledger %s", name)
			continue
		}
		delete(entry, "created")
		text, _ := json.Marshal(entry)
		add("ledger %s %s", name, text)
	}
}

// passing are files that git leaves in an admin directory or not, as it goes.
var passing = []string{"ORIG_HEAD", "logs", "COMMIT_EDITMSG", "FETCH_HEAD"}

func (w *world) adminState(add adder) {
	dirs, _ := os.ReadDir(w.at("repo/.git/worktrees"))
	for _, d := range dirs {
		files, _ := os.ReadDir(w.at("repo/.git/worktrees/" + d.Name()))
		var names []string
		for _, f := range files {
			if !slices.Contains(passing, f.Name()) {
				names = append(names, f.Name())
			}
		}
		add("admin %s %s", d.Name(), strings.Join(names, " "))
	}
}

// storeState is every file below the data directory. A claim is told by its owner.
func (w *world) storeState(add adder) {
	data := w.at("data/agent-worktree")
	filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(path, data)
		if err != nil {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		switch {
		case d.IsDir() && strings.HasSuffix(rel, ".gone"): // on its way out: prune goes on with it
			return fs.SkipDir
		case strings.HasPrefix(rel, "/ports/"):
			if unit := filepath.Base(rel); !strings.HasPrefix(unit, ".") { // the next claim takes drafts away
				add("claim %s", claimOwner(path))
			}
		case d.IsDir():
			add("dir %s %o", rel, info.Mode().Perm())
		case strings.HasSuffix(rel, "/entry.json"):
			add("record %s", recordFacts(path))
		case filepath.Base(rel) == "built": // holds the port
			add("file %s", rel)
		case strings.HasPrefix(rel, "/trash/") && (strings.Contains(rel, "/git/logs/") || strings.HasSuffix(rel, "/git/index") || strings.HasSuffix(rel, "/git/ORIG_HEAD")):
			// times, and stat data
		default:
			text, _ := os.ReadFile(path)
			sum := sha256.Sum256(text)
			add("file %s %o %x", rel, info.Mode().Perm(), sum[:6])
		}
		return nil
	})
}

func claimOwner(path string) string {
	data, _ := os.ReadFile(path)
	var claim struct{ Entry string }
	if json.Unmarshal(data, &claim) != nil {
		return "unreadable " + filepath.Base(path)
	}
	return claim.Entry
}

func recordFacts(path string) string {
	data, _ := os.ReadFile(path)
	var r map[string]any
	if json.Unmarshal(data, &r) != nil {
		return "unreadable " + path
	}
	return fmt.Sprint(r["state"], " ", r["name"], " ", r["branch"], " ", r["head"], " ", r["torn"], " ", r["gone"], " ", r["anchors"])
}

// differ are the facts that are in one state and not in the other.
func differ(got, want []string) []string {
	var out []string
	count := map[string]int{}
	for _, line := range want {
		count[line]++
	}
	for _, line := range got {
		if count[line]--; count[line] < 0 {
			out = append(out, "+ "+line)
		}
	}
	for line, n := range count {
		for ; n > 0; n-- {
			out = append(out, "- "+line)
		}
	}
	slices.Sort(out)
	return out
}

// A treasure is what must not be lost: bytes of files, and commits.
type treasure struct {
	bytes   map[[32]byte]string // by content, where they were
	commits []string
	primary string // the primary checkout and what is outside, as hashes
}

// treasure notes what is dear in the world: every file of a worktree that its commit
// does not have, and the tips of all branches and worktrees.
func (w *world) treasure() treasure {
	w.Helper()
	t := treasure{bytes: map[[32]byte]string{}, primary: w.elsewhere()}
	for _, path := range w.worktrees() {
		out := w.soft(path, "-c", "core.quotePath=false", "status", "--porcelain", "--ignored", "--untracked-files=all")
		for _, line := range lines(out) {
			if len(line) < 4 || strings.HasPrefix(line[3:], "built") || strings.HasPrefix(line[3:], "cache/") {
				continue
			}
			if data, err := os.ReadFile(filepath.Join(path, line[3:])); err == nil {
				t.bytes[sha256.Sum256(data)] = filepath.Join(path, line[3:])
			}
		}
		t.commits = append(t.commits, lines(w.soft(path, "rev-parse", "HEAD"))...)
	}
	t.commits = append(t.commits, lines(w.soft("repo", "for-each-ref", "--format=%(objectname)", "refs/heads/"))...)
	slices.Sort(t.commits)
	t.commits = slices.DeleteFunc(slices.Compact(t.commits), func(id string) bool { return len(id) != 40 })
	return t
}

// worktrees are the linked worktrees that git lists and that are there.
func (w *world) worktrees() []string {
	var paths []string
	for i, line := range lines(w.soft("repo", "worktree", "list", "--porcelain")) {
		if path, ok := strings.CutPrefix(line, "worktree "); ok && i > 0 && there(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// elsewhere is a hash of what is none of the tool's business.
func (w *world) elsewhere() string {
	h := sha256.New()
	for _, dir := range []string{"repo", "outside"} {
		filepath.WalkDir(w.at(dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && path == w.at("repo/.git") {
				return fs.SkipDir
			}
			// built is what the project's own setup writes, in the primary too.
			if err == nil && d.Type().IsRegular() && d.Name() != "built" {
				data, _ := os.ReadFile(path)
				fmt.Fprintf(h, "%s %x\n", path, data)
			}
			return nil
		})
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// lost names what of the treasure is nowhere any more; now is right after a fault.
func (w *world) lost(t treasure, now bool) []string {
	w.Helper()
	var out []string
	if w.elsewhere() != t.primary {
		out = append(out, "I2: something outside the store changed")
	}
	missing := map[[32]byte]string{}
	for sum, path := range t.bytes {
		missing[sum] = path
	}
	if len(missing) > 0 {
		filepath.WalkDir(w.at("data"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				data, _ := os.ReadFile(path)
				delete(missing, sha256.Sum256(data))
			}
			return nil
		})
	}
	for _, path := range missing {
		out = append(out, "I1: the bytes of "+path+" are gone")
	}
	if len(t.commits) > 0 {
		reached := w.soft("repo", "rev-list", "--all")
		for _, id := range t.commits {
			if now && strings.HasPrefix(reached, "FAILED") { // git cannot tell before the next run
				break
			}
			if !strings.Contains(reached, id) {
				out = append(out, "I1: commit "+id+" is not reachable: "+firstOf(reached))
			}
		}
	}
	return out
}

func firstOf(text string) string {
	if strings.HasPrefix(text, "FAILED") {
		return text
	}
	return ""
}

// broken names what of the invariants does not hold right after a fault: what holds at
// any time.
func (w *world) broken(t treasure) []string {
	w.Helper()
	out := w.lost(t, true)
	files, _ := filepath.Glob(w.at("repo/.git/agent-worktrees/*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		var entry struct{ Setup, Branch, Path string }
		if err != nil || json.Unmarshal(data, &entry) != nil || entry.Setup == "" || entry.Path == "" {
			out = append(out, fmt.Sprintf("I3: the ledger file %s holds %q", file, data))
		}
		if entry.Setup == "finished" && there(entry.Path) && !there(filepath.Join(entry.Path, "built")) {
			out = append(out, "I9: setup of "+entry.Path+" is recorded as finished and did not run")
		}
	}
	claims, _ := filepath.Glob(w.at("data/agent-worktree/ports/2*"))
	for _, file := range claims {
		if owner := claimOwner(file); strings.HasPrefix(owner, "unreadable") {
			out = append(out, "I5: claim "+owner)
		}
	}
	return out
}

// unsound names what does not hold once the next run has come to its end: git works,
// and nobody's lock is left.
func (w *world) unsound(deep bool) []string {
	w.Helper()
	var out []string
	try := func(dir string, args ...string) {
		if text := w.soft(dir, args...); strings.HasPrefix(text, "FAILED") {
			out = append(out, fmt.Sprintf("I7: git %v: %s", args, text))
		}
	}
	try("repo", "status", "--porcelain")
	try("repo", "worktree", "list")
	try("repo", "fsck", "--connectivity-only", "--no-dangling")
	for _, path := range w.worktrees() {
		try(path, "status", "--porcelain")
	}
	settings, _ := w.tryGit("repo", "config", "--local", "--name-only", "--get-regexp", `^branch\.`)
	for _, line := range lines(settings) {
		branch := line[len("branch."):strings.LastIndexByte(line, '.')]
		if _, err := w.tryGit("repo", "rev-parse", "--verify", "-q", "refs/heads/"+branch); err != nil {
			out = append(out, "I6: the setting "+line+" is of no branch")
		}
	}
	for _, repo := range []string{"repo/.git", "origin.git"} {
		filepath.WalkDir(w.at(repo), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "agent-worktrees" {
				return fs.SkipDir
			}
			if err == nil && strings.HasSuffix(path, ".lock") && !strings.Contains(path, "/refs/agent-worktree/fetch/") { // those are prune's
				out = append(out, "I7: "+path+" is left")
			}
			return nil
		})
	}
	if deep {
		copied := w.root + ".copy"
		os.RemoveAll(copied)
		w.copy(w.at("repo"), copied)
		try(copied, "gc", "-q", "--prune=now")
		os.RemoveAll(copied)
	}
	return out
}

// leftovers names what prune should have cleared.
func (w *world) leftovers() []string {
	var out []string
	claims, _ := filepath.Glob(w.at("data/agent-worktree/ports/2*"))
	for _, file := range claims {
		if owner := claimOwner(file); !there(owner) {
			out = append(out, "I5: unit "+filepath.Base(file)+" has no owner: "+owner)
		}
	}
	temps, _ := filepath.Glob(w.at("data/agent-worktree/trash/*/.*.gone"))
	for _, file := range temps {
		out = append(out, "I6: "+file+" is left")
	}
	locks, _ := filepath.Glob(w.at("repo/.git/refs/agent-worktree/fetch/*/*.lock"))
	for _, file := range locks {
		out = append(out, "I7: "+file+" is left")
	}
	if refs := w.soft("repo", "for-each-ref", "refs/agent-worktree/fetch/"); refs != "" {
		out = append(out, "I6: "+refs+" is left")
	}
	return out
}

// misspoken names what is wrong with how a run that was not killed answered.
func misspoken(a answer) []string {
	var out []string
	bad := func(format string, args ...any) {
		out = append(out, "I8: "+fmt.Sprintf(format, args...)+"\n"+a.String())
	}
	hook := strings.HasPrefix(a.line, "hook")
	switch {
	case a.signal != 0 || a.status < 0:
		bad("ended by %s", a.signal)
	case strings.Contains(a.stderr, "panic") || strings.Contains(a.stderr, "goroutine "):
		bad("it panicked")
	case a.status == 0 && !hook && (!a.whole || !a.doc.OK):
		bad("exit 0 without its envelope")
	case a.status == 0 && hook && strings.Count(a.stdout, "\n") != 1:
		bad("exit 0 without its line")
	case a.status > 0 && a.status < 128 && (a.stdout != "" || !a.whole || a.doc.Error.Code == ""):
		bad("exit %d without its error", a.status)
	case a.status >= 128 && a.stdout != "":
		bad("a result though a signal ended it")
	}
	for _, race := range []string{"commondir", "cannot lock ref", "could not lock config"} {
		if a.doc.Error.Code == "git_failed" && strings.Contains(a.doc.Error.Message, race) {
			bad("git's own race: %s", race)
		}
	}
	return out
}
