package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
)

// stampForm is the UTC time in an entry's name.
const stampForm = "20060102T150405Z"

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
		err := fault.Mkdir(e.Dir, 0o700)
		if err == nil {
			return e, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return Entry{}, err
		}
	}
}

// Named is the entry of that ID, whether there is one or not; false when it is no ID.
func (s Store) Named(id string) (Entry, bool) {
	name, ok := entryName(id)
	return Entry{ID: id, Name: name, Dir: filepath.Join(s.Trash(), id)}, ok && !strings.ContainsAny(id, "/\x00")
}

// Entries are what the project has in the trash, oldest first.
func (s Store) Entries() ([]Entry, error) { return s.entries("") }

// EntriesOf are the entries of one worktree's name, oldest first.
func (s Store) EntriesOf(name string) ([]Entry, error) {
	list, err := s.entries(name + ".")
	return slices.DeleteFunc(list, func(e Entry) bool { return e.Name != name }), err
}

// entries are those whose id begins with prefix, oldest first. The others are not looked
// at: every verb asks for its own name's, and the trash holds a month's.
func (s Store) entries(prefix string) ([]Entry, error) {
	dirs, err := os.ReadDir(s.Trash())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Entry
	for _, d := range dirs {
		if !strings.HasPrefix(d.Name(), prefix) {
			continue
		}
		if name, ok := entryName(d.Name()); ok && d.IsDir() {
			list = append(list, Entry{ID: d.Name(), Name: name, Dir: filepath.Join(s.Trash(), d.Name())})
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return byAge(list[i], list[j]) < 0 })
	return list, err
}

// byAge sorts entries by time, then by the counter behind it.
func byAge(a, b Entry) int {
	at, an, _ := strings.Cut(a.Stamp(), "-")
	bt, bn, _ := strings.Cut(b.Stamp(), "-")
	return cmp.Or(strings.Compare(at, bt), cmp.Compare(len(an), len(bn)), strings.Compare(an, bn))
}

// entryName is the worktree's name in an entry's, which may itself hold dots.
func entryName(id string) (string, bool) {
	i := strings.LastIndexByte(id, '.')
	if i <= 0 {
		return "", false
	}
	_, ok := Time(id[i+1:])
	return id[:i], ok
}

// When is the time an entry was made, by its name.
func (e Entry) When() time.Time {
	t, _ := Time(e.Stamp())
	return t
}

// Time is the time that a stamp tells, with or without the counter behind it.
func Time(stamp string) (time.Time, bool) {
	stamp, _, _ = strings.Cut(stamp, "-")
	t, err := time.Parse(stampForm, stamp)
	return t, err == nil
}

// Discard deletes the entry, its record last, so that what cannot be deleted can be
// tried again. The record says so first: half an entry is not to be restored.
func (e Entry) Discard() error {
	if r, err := e.Read(); err == nil && !r.Discard {
		r.Discard = true
		if err := e.Write(r); err != nil {
			return err
		}
	}
	if err := errors.Join(Delete(e.Tree()), Delete(e.Git())); err != nil {
		return err
	}
	return Delete(e.Dir)
}

// retired ends the name of an entry that is done with and on its way out.
const retired = ".gone"

// Retire takes the entry out of the list at once, then deletes it. What cannot be
// deleted is left for Retired.
func (e Entry) Retire() error {
	gone := filepath.Join(filepath.Dir(e.Dir), "."+e.ID+retired)
	if err := fault.Rename(e.Dir, gone); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	Delete(gone)
	return nil
}

// Retired are the directories of entries that were retired and are still there.
func (s Store) Retired() []string {
	dirs, _ := os.ReadDir(s.Trash())
	var list []string
	for _, d := range dirs {
		if strings.HasPrefix(d.Name(), ".") && strings.HasSuffix(d.Name(), retired) {
			list = append(list, filepath.Join(s.Trash(), d.Name()))
		}
	}
	return list
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
