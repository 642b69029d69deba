// Package ledger keeps the record of a clone's registered worktrees: one JSON file
// each in <git common dir>/agent-worktrees, and the locks that go with them.
//
// A file is complete or absent: it is written to a temporary name in the same
// folder, synced, then renamed, or linked where it must not exist yet. Names that
// start with a dot are the package's own. Fields it does not know are kept.
package ledger

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/plain"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// What an entry's setup can be.
const (
	Making   = "making"   // the worktree is being made
	Pending  = "pending"  // it stands, its setup has not finished
	Finished = "finished" // its setup finished
)

// maxEntry bounds what is read of one file, in bytes.
const maxEntry = 1 << 20

// An Entry is what is known of one registered worktree. Only Setup is always set.
type Entry struct {
	Setup   string
	Branch  string    // short name it was made on, "" when not recorded
	Base    string    // commit a new branch was cut from, "" when none was cut or recorded
	Cut     bool      // this tool made the branch
	Path    string    // absolute
	Primary string    // absolute path of the primary checkout it was made from
	Created time.Time // zero when not recorded
	rest    map[string]json.RawMessage
}

// A Ledger is one clone's record. Dir is <git common dir>/agent-worktrees. It is made by At.
type Ledger struct {
	Dir  string
	turn chan struct{} // full while somebody in this process has or awaits the clone's lock
}

// At is the ledger of the clone with this common directory.
func At(common string) Ledger {
	return Ledger{Dir: filepath.Join(common, "agent-worktrees"), turn: make(chan struct{}, 1)}
}

// File is the entry's file, which port claims name.
func (l Ledger) File(name string) string { return filepath.Join(l.Dir, name+".json") }

// Names are the registered names, sorted; those whose file cannot be read too.
func (l Ledger) Names() ([]string, error) {
	files, err := os.ReadDir(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".json")
		if ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// Read is the entry of that name, nil when there is none. A file that is no JSON
// object is the fault ledger_corrupt: never read as absent.
func (l Ledger) Read(name string) (*Entry, error) {
	data, err := plain.Read(l.File(name), maxEntry)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, corrupt(l.File(name), err.Error())
	}
	e, err := Parse(data)
	if err != nil {
		return nil, corrupt(l.File(name), err.Error())
	}
	return e, nil
}

func corrupt(file, why string) error {
	return &refuse.Fault{
		Code:    refuse.LedgerCorrupt,
		Message: "the ledger file " + refuse.Visible(file) + " cannot be read: " + refuse.Visible(why),
		Meta:    refuse.Meta{{Key: "file", Value: file}, {Key: "reason", Value: why}},
	}
}

// Create writes an entry that must not exist yet; it is fs.ErrExist when it does.
func (l Ledger) Create(name string, e *Entry) error {
	return l.put(name, e, fault.Link)
}

// Write replaces the entry.
func (l Ledger) Write(name string, e *Entry) error {
	return l.put(name, e, fault.Rename)
}

func (l Ledger) put(name string, e *Entry, place func(from, to string) error) error {
	data, err := e.encode()
	if err != nil {
		return err
	}
	if err := l.makeDir(); err != nil {
		return err
	}
	// Only who holds the worktree's lock writes its entry, so one name is enough, and what
	// a killed process left there is taken away first: it may be the entry's own file.
	if err := l.clear(name); err != nil {
		return err
	}
	tmp, err := fault.OpenFile(l.draft(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer fault.Remove(tmp.Name())
	_, err = tmp.Write(data)
	err = errors.Join(err, fault.Sync(tmp), tmp.Close())
	if err != nil {
		return err
	}
	if err := place(tmp.Name(), l.File(name)); err != nil {
		return err
	}
	return syncDir(l.Dir)
}

// makeDir makes the folder; one that is a link would let another place be written.
func (l Ledger) makeDir() error {
	if err := fault.Mkdir(l.Dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(l.Dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return corrupt(l.Dir, "it is no directory")
	}
	return nil
}

// Remove takes the entry out; one that is gone already is no error.
func (l Ledger) Remove(name string) error {
	err := fault.Remove(l.File(name))
	if errors.Is(err, fs.ErrNotExist) {
		return l.clear(name)
	}
	return errors.Join(err, l.clear(name), syncDir(l.Dir))
}

// draft is where an entry is written before it gets its name.
func (l Ledger) draft(name string) string { return filepath.Join(l.Dir, "."+name+".tmp") }

// clear takes a killed process's draft away.
func (l Ledger) clear(name string) error {
	if err := os.Remove(l.draft(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDir makes a rename or link in dir last through a power loss.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return fault.Sync(d)
}
