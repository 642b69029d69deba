package keep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cniska/agent-worktree/lib/fault"
)

// maxTries is how many entries of one worktree there may be in one second.
const maxTries = 1000

// A draft is an entry until it is whole. It has the entry's name with a dot before it,
// and whoever made that directory owns the entry's name too.
type draft struct {
	dest, name string
	root       *os.Root
	manifest   manifest
	links      int
	dirs       []string // made in it, parents first
	whole      bool
}

// draft makes the draft of the request's entry under a name that nobody has.
func (r Request) draft() (*draft, error) {
	base := r.Now.UTC().Format("20060102T150405Z") + "-" + r.Name
	for n := 1; n <= maxTries; n++ {
		name := base
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		d := &draft{dest: r.Dest, name: name}
		err := fault.Mkdir(d.temporary(), 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// Only the owner of the temporary name makes the entry, so this look is no race.
		if _, err := os.Lstat(d.path()); !errors.Is(err, fs.ErrNotExist) {
			fault.Remove(d.temporary())
			continue
		}
		if d.root, err = os.OpenRoot(d.temporary()); err != nil {
			fault.Remove(d.temporary())
			return nil, err
		}
		d.manifest = r.manifest()
		return d, nil
	}
	return nil, errors.New("there are too many entries of this second")
}

func (d *draft) path() string      { return filepath.Join(d.dest, d.name) }
func (d *draft) temporary() string { return filepath.Join(d.dest, "."+d.name) }

// discard takes the draft away again, unless it became an entry.
func (d *draft) discard() {
	d.root.Close()
	if !d.whole {
		fault.RemoveAll(d.temporary())
	}
}

// add archives one file or records one link. An unfit error says why it cannot.
func (d *draft) add(tree *os.Root, name string, homes []string) error {
	if err := fitName(name, homes); err != nil {
		return err
	}
	info, err := tree.Lstat(name)
	if err != nil {
		return unreadable(err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return d.link(tree, name, homes)
	}
	text, err := readText(tree, name)
	if err != nil {
		return err
	}
	if text, err = cleaned(text, homes); err != nil {
		return err
	}
	f := file{Path: name, Size: new(int64), SHA256: digest(text)}
	*f.Size = int64(len(text))
	at := stored(name)
	if at != name {
		f.Stored = at
	}
	if err := d.write(at, text); err != nil {
		return err
	}
	d.manifest.Files = append(d.manifest.Files, f)
	return nil
}

// fitName refuses a name that the manifest could not give as it is: one that holds a
// secret, or is no text.
func fitName(name string, homes []string) error {
	if !utf8.ValidString(name) {
		return unfit("its name is not text")
	}
	for _, home := range homes {
		if len(Scan(name, home)) > 0 {
			return unfit("its name holds a secret")
		}
	}
	return nil
}

// link records where a link leads, which may be no place of ours.
func (d *draft) link(tree *os.Root, name string, homes []string) error {
	target, err := tree.Readlink(name)
	if err != nil {
		return unreadable(err)
	}
	if !utf8.ValidString(target) {
		return unfit("it is a link to a name that is not text")
	}
	if target, err = cleaned(target, homes); err != nil {
		return err
	}
	d.manifest.Files = append(d.manifest.Files, file{Path: name, Target: target})
	d.links++
	return nil
}

// stored is the path of a file in the entry: its own, but for one that would take the
// manifest's place, on file systems too that do not tell cases apart.
func stored(name string) string {
	first, rest, below := strings.Cut(name, "/")
	if bare := strings.TrimRight(first, "~"); !strings.EqualFold(bare, manifestName) {
		return name
	}
	if first += "~"; below {
		return first + "/" + rest
	}
	return first
}

// write puts a new file into the draft, for the caller's eyes only.
func (d *draft) write(name, text string) error {
	if err := d.parents(path.Dir(name)); err != nil {
		return taken(err)
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return taken(err)
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = fault.Sync(f)
	}
	return errors.Join(err, f.Close())
}

// parents makes the directories down to dir.
func (d *draft) parents(dir string) error {
	if dir == "." {
		return nil
	}
	if err := d.parents(path.Dir(dir)); err != nil {
		return err
	}
	err := d.root.Mkdir(dir, 0o700)
	if err == nil {
		d.dirs = append(d.dirs, dir)
	} else if info, look := d.root.Lstat(dir); look == nil && info.IsDir() {
		return nil
	}
	return err
}

// taken is why a file has no place in the entry: the data directory's file system takes
// two names for one that the worktree's tells apart.
func taken(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return unfit("its name is another's in the data directory")
	}
	return err
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// finish writes the manifest, sees to it that all is on disk, and gives the draft its name.
func (d *draft) finish(r Request) error {
	text, err := d.manifest.encode(r.homes())
	if err != nil {
		return err
	}
	if err := d.write(manifestName, text); err != nil {
		return err
	}
	for i := len(d.dirs) - 1; i >= 0; i-- {
		if err := syncDir(filepath.Join(d.temporary(), d.dirs[i])); err != nil {
			return err
		}
	}
	if err := syncDir(d.temporary()); err != nil {
		return err
	}
	// An entry of that name is never empty, so this replaces none.
	if err := fault.Rename(d.temporary(), d.path()); err != nil {
		return err
	}
	d.whole = true
	return syncDir(d.dest)
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(fault.Sync(f), f.Close())
}

func (d *draft) entry() Entry {
	if !d.whole {
		return Entry{}
	}
	return Entry{Name: d.name, Path: d.path(), Files: len(d.manifest.Files) - d.links, Links: d.links}
}
