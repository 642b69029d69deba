package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stampForm is the UTC time in an entry's name.
const stampForm = "20060102T150405Z"

// The steps of a removal, as its record tells them. One that is found at an earlier
// step than Removed was killed.
const (
	Removing  = "removing"  // the tree may or may not be in the trash; git still lists it
	Removed   = "removed"   // git lists it no more
	Restoring = "restoring" // it is on its way back
)

// An Entry is one removed worktree in the trash: <name>.<UTC time>, then -2, -3 when
// that was taken.
type Entry struct {
	ID   string
	Name string // the worktree's
	Dir  string // absolute
}

// Tree is where the worktree's directory is kept, Git git's admin directory for it, and
// File the record.
func (e Entry) Tree() string { return filepath.Join(e.Dir, "tree") }
func (e Entry) Git() string  { return filepath.Join(e.Dir, "git") }
func (e Entry) File() string { return filepath.Join(e.Dir, "entry.json") }

// Stamp is the part of the ID behind the name: the anchors' place.
func (e Entry) Stamp() string { return strings.TrimPrefix(e.ID, e.Name+".") }

// A Record is what an entry's entry.json holds.
type Record struct {
	Version  int             `json:"version"`
	State    string          `json:"state"`
	Name     string          `json:"name"`
	Path     string          `json:"path"`    // where the worktree was
	Primary  string          `json:"primary"` // of the clone it belonged to
	Branch   string          `json:"branch"`  // short name, "" when detached
	Head     string          `json:"head"`    // commit
	Settings []string        `json:"settings,omitempty"`
	Ledger   json.RawMessage `json:"ledger,omitempty"`
	Removed  string          `json:"removed"` // RFC 3339
	Why      string          `json:"why"`     // the verb
	Admin    string          `json:"admin"`   // the name of git's admin directory
	Dropped  []string        `json:"dropped,omitempty"`
	Caches   []string        `json:"caches,omitempty"`
	Bytes    int64           `json:"bytes,omitempty"`
	Anchors  []string        `json:"anchors,omitempty"` // full ref names
	Torn     bool            `json:"torn"`              // the teardown is done with
	Discard  bool            `json:"discard,omitempty"` // nothing but the anchors is to be kept
}

// NewEntry makes an empty entry for a removal that begins now. Making its directory is
// what decides its name; taken tells of names whose anchors are still there.
func (s Store) NewEntry(name string, now time.Time, taken func(Entry) bool) (Entry, error) {
	if err := s.Make(s.Trash()); err != nil {
		return Entry{}, err
	}
	stamp := name + "." + now.UTC().Format(stampForm)
	for n := 1; ; n++ {
		id := stamp
		if n > 1 {
			id = fmt.Sprintf("%s-%d", stamp, n)
		}
		e := Entry{ID: id, Name: name, Dir: filepath.Join(s.Trash(), id)}
		if taken(e) {
			continue
		}
		err := os.Mkdir(e.Dir, 0o700)
		if err == nil {
			return e, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return Entry{}, err
		}
	}
}

// Entries are what the project has in the trash, oldest first.
func (s Store) Entries() ([]Entry, error) {
	dirs, err := os.ReadDir(s.Trash())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Entry
	for _, d := range dirs {
		if name, ok := entryName(d.Name()); ok && d.IsDir() {
			list = append(list, Entry{ID: d.Name(), Name: name, Dir: filepath.Join(s.Trash(), d.Name())})
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return strings.Compare(a.order(), b.order()) })
	return list, err
}

// order sorts entries by time, then by the counter behind it.
func (e Entry) order() string {
	stamp, n, _ := strings.Cut(e.Stamp(), "-")
	return fmt.Sprintf("%s-%8s", stamp, n)
}

// entryName is the worktree's name in an entry's, which may itself hold dots.
func entryName(id string) (string, bool) {
	i := strings.LastIndexByte(id, '.')
	if i <= 0 {
		return "", false
	}
	stamp, _, _ := strings.Cut(id[i+1:], "-")
	_, err := time.Parse(stampForm, stamp)
	return id[:i], err == nil
}

// When is the time an entry was made, by its name.
func (e Entry) When() time.Time {
	stamp, _, _ := strings.Cut(e.Stamp(), "-")
	t, _ := time.Parse(stampForm, stamp)
	return t
}

// Read is the entry's record.
func (e Entry) Read() (Record, error) {
	var r Record
	data, err := os.ReadFile(e.File())
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", e.File(), err)
	}
	return r, nil
}

// Write replaces the entry's record whole, and waits until it is on the disk.
func (e Entry) Write(r Record) error {
	r.Version = 1
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	tmp, err := os.OpenFile(e.File()+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(data, '\n'))
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), e.File())
}

// Discard deletes the entry, its record last, so that what cannot be deleted can be
// tried again.
func (e Entry) Discard() error {
	if err := errors.Join(Delete(e.Tree()), Delete(e.Git())); err != nil {
		return err
	}
	return Delete(e.Dir)
}

// Files counts the files that the entry keeps of the worktree's own.
func (e Entry) Files() int {
	n := 0
	filepath.WalkDir(e.Tree(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path != filepath.Join(e.Tree(), ".git") {
			n++
		}
		return nil
	})
	return n
}
