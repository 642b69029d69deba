// Package place knows where things are: the data directory, a project's key in it,
// the primary checkout and its git common directory, and which names a worktree may
// have. It starts no process; where only git can tell, it says so.
package place

import (
	"crypto/sha256"
	"encoding/hex"
	"os/user"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// maxPart is the longest name of a file that common file systems take, in bytes.
const maxPart = 255

// Lookup is the value of a variable in env, "" when it is not set; the last one wins.
func Lookup(env []string, name string) string {
	value := ""
	for _, v := range env {
		if n, rest, ok := strings.Cut(v, "="); ok && n == name {
			value = rest
		}
	}
	return value
}

// Home is the account's home: $HOME, or what the account database says where that
// is unset or blank.
func Home(env []string) (string, error) {
	if home := Lookup(env, "HOME"); strings.TrimSpace(home) != "" {
		return home, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// Data is the data directory, absolute, with every symlink down to and including it
// resolved as far as it exists. A path with a control byte in it is refused: it could
// not be printed on one line.
func Data(env []string) (string, error) {
	base := Lookup(env, "XDG_DATA_HOME")
	if !filepath.IsAbs(base) {
		home, err := Home(env)
		if err != nil {
			return "", err
		}
		base = filepath.Join(home, ".local", "share")
	}
	data := Real(filepath.Join(base, "agent-worktree"))
	if refuse.Visible(data) != data {
		return "", &refuse.Refusal{
			Code:    refuse.UnsafeStore,
			Message: "the data directory " + refuse.Visible(data) + " has a control byte or ill-formed text in its path",
			Meta:    refuse.Meta{{Key: "path", Value: data}},
			Resolve: "set XDG_DATA_HOME to a path without control bytes",
		}
	}
	return data, nil
}

// Real is path with the symlinks of its existing part resolved, cleaned.
func Real(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// Key is the project's directory name under the data directory: the primary's own
// name, a dash and a short hash of its path, so that clones of one name keep apart.
func Key(primary string) string {
	h := sha256.Sum256([]byte(primary))
	hash := hex.EncodeToString(h[:4])
	name := filepath.Base(primary)
	if most := maxPart - len(hash) - 1; len(name) > most {
		name = cut(name, most)
	}
	return name + "-" + hash
}

// cut shortens s to at most n bytes at a rune boundary.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
