package ports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cniska/agent-worktree/lib/fault"
)

const (
	formatVersion = 1
	tempPrefix    = ".claim-"
	maxClaimSize  = 64 << 10 // bytes; the longest path the systems allow fits many times
)

// record is a claim file's content.
type record struct {
	Version int    `json:"version"`
	Entry   string `json:"entry,omitempty"`
	// Raw stands in for Entry when the path is not well-formed UTF-8: JSON would replace its
	// bytes, and the claim would then name a file that does not exist and count as gone.
	Raw []byte `json:"raw,omitempty"`
}

func encodeClaim(entry string) ([]byte, error) {
	r := record{Version: formatVersion, Entry: entry}
	if !utf8.ValidString(entry) {
		r.Entry, r.Raw = "", []byte(entry)
	}
	data, err := json.Marshal(r)
	return append(data, '\n'), err
}

func decodeClaim(data []byte) (entry string, err error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return "", err
	}
	if r.Version != formatVersion {
		return "", fmt.Errorf("version %d is not known", r.Version)
	}
	if r.Raw != nil {
		r.Entry = string(r.Raw)
	}
	if !filepath.IsAbs(r.Entry) {
		return "", errors.New("it names no absolute path")
	}
	return r.Entry, nil
}

// readClaim returns the holder that a claim file names. What stands at the path may have been
// put there by anybody: a link is not followed, and a FIFO does not hang the reader.
func readClaim(path string) (entry string, err error) {
	f, err := openPlain(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxClaimSize))
	if err == nil {
		entry, err = decodeClaim(data)
	}
	if err != nil {
		return "", fmt.Errorf("port claim %s: %w", path, err)
	}
	return entry, nil
}

// openPlain opens a regular file without following a link at its end. Flags may create it.
func openPlain(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|guardFlags, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// write claims units for entry; the caller holds the lock. The claims of one block share one
// file with a name per unit, so the bytes reach the disk once and before any name does. When a
// unit fails, those already claimed are given back.
func (s Store) write(entry string, units Block) error {
	temp, err := s.writeTemp(entry)
	if err != nil {
		return err
	}
	defer fault.Remove(temp)
	for i, unit := range units {
		if err := fault.Link(temp, s.path(unit)); err != nil {
			return errors.Join(err, s.drop(units[:i]))
		}
	}
	return syncDir(s.Dir)
}

func (s Store) writeTemp(entry string) (path string, err error) {
	data, err := encodeClaim(entry)
	if err != nil {
		return "", err
	}
	f, err := fault.CreateTemp(s.Dir, tempPrefix+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = fault.Sync(f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		fault.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// drop removes the claims of units; the caller holds the lock. One that is already gone is fine.
func (s Store) drop(units Block) error {
	var errs []error
	for _, unit := range units {
		if err := fault.Remove(s.path(unit)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, syncDir(s.Dir))...)
}

// sweep removes the temporary files of killed processes. The caller holds the lock, under which
// alone they are made, so whatever is there has no owner.
func (s Store) sweep() error {
	names, err := os.ReadDir(s.Dir)
	for _, name := range names {
		if strings.HasPrefix(name.Name(), tempPrefix) {
			err = errors.Join(err, fault.Remove(filepath.Join(s.Dir, name.Name())))
		}
	}
	return err
}

// syncDir makes the directory's names last through a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(fault.Sync(d), d.Close())
}
