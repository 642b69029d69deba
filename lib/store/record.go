package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cniska/agent-worktree/lib/fault"
)

// The steps of a removal, as its record tells them. One that is found at an earlier
// step than Removed was killed.
const (
	Removing  = "removing"  // the tree may or may not be in the trash; git still lists it
	Removed   = "removed"   // git lists it no more
	Restoring = "restoring" // it is on its way back
)

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
	Removed  string          `json:"removed"`         // RFC 3339
	Why      string          `json:"why"`             // the verb
	Admin    string          `json:"admin"`           // the name of git's admin directory
	Doing    string          `json:"doing,omitempty"` // the branch a paused rebase or a bisect goes back to
	DoingTip string          `json:"doing_tip,omitempty"`
	Anchors  []string        `json:"anchors,omitempty"` // full ref names
	Torn     bool            `json:"torn"`              // the teardown is done with
	Gone     bool            `json:"gone,omitempty"`    // there was no directory any more
	Discard  bool            `json:"discard,omitempty"` // it is being deleted: nothing but the anchors is to be kept
	Archive  string          `json:"archive,omitempty"` // the entry of kept files
	Only     []string        `json:"only,omitempty"`    // kept files that are in no archive
	Slimming
}

// Slimming is what was left out of an entry's tree to save space. It is written before
// anything is deleted, so that what is missing is always told.
type Slimming struct {
	Wanted  bool     `json:"slim,omitempty"`    // it is worth it, and not done yet
	Dropped []string `json:"dropped,omitempty"` // files that are as the recorded commit has them; with a slash at its end, all of a directory's
	Caches  []Cache  `json:"caches,omitempty"`
	Bytes   int64    `json:"bytes,omitempty"` // of the files that were left
	Modes   Modes    `json:"modes,omitzero"`  // of what was dropped
}

// A Cache is a directory that was dropped and that git does not have.
type Cache struct {
	Path  string `json:"path"`  // in the worktree
	Files int    `json:"files"` // how many there were in it
}

// Modes are permission bits. Only what has exactly these is dropped.
type Modes struct {
	File fs.FileMode `json:"file,omitempty"`
	Exec fs.FileMode `json:"exec,omitempty"`
	Dir  fs.FileMode `json:"dir,omitempty"`
	Root fs.FileMode `json:"root,omitempty"` // of the tree itself
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
	tmp, err := fault.OpenFile(e.File()+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(data, '\n'))
	if err := errors.Join(err, fault.Sync(tmp), tmp.Close()); err != nil {
		return err
	}
	return fault.Rename(tmp.Name(), e.File())
}
