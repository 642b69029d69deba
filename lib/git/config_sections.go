package git

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// ForgetBranches takes the branch.<name>.* settings of all the branches out of the
// repository's configuration, where there are any: a later branch of that name must not
// begin with an upstream. `git config --remove-section` takes one section a process, so
// the file is written here as git writes it: under git's own lock, the lines of a section
// dropped as git drops them. Other processes lock the file for moments, so it is tried
// for a second.
func (r *Repo) ForgetBranches(ctx context.Context, branches ...string) error {
	var err error
	for pause := 5 * time.Millisecond; pause < time.Second; pause *= 2 {
		left := r.mentions("branch", branches...)
		if len(left) == 0 {
			return nil
		}
		if err = r.forget(left); err == nil {
			continue
		}
		if !sleep(ctx, pause) {
			return context.Cause(ctx)
		}
	}
	return unforgotten(branches, err)
}

// unforgotten is the fault that names what could not be taken out, and why; nil for nil.
func unforgotten(branches []string, err error) error {
	if err == nil {
		return nil
	}
	what := "the settings of branch " + strings.Join(branches, ", ") + " could not be taken out of git's configuration: "
	return &refuse.Fault{Code: refuse.GitFailed, Message: what + refuse.Visible(err.Error())}
}

// forget writes the configuration anew without the branches' sections. It fails while
// another process has it locked.
func (r *Repo) forget(branches []string) (err error) {
	path, err := filepath.EvalSymlinks(r.configFile())
	if err != nil {
		return err
	}
	lock, err := fault.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			lock.Close()
			err = errors.Join(err, os.Remove(lock.Name()))
		}
	}()
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := lock.Chmod(info.Mode().Perm()); err != nil {
		return err
	}
	_, err = io.WriteString(lock, withoutBranches(string(data), branches))
	if err = errors.Join(err, fault.Sync(lock), lock.Close()); err != nil {
		return err
	}
	return fault.Rename(lock.Name(), path)
}

// withoutBranches is the text of a configuration without the branches' sections: each
// from the line of its header to the next header's.
func withoutBranches(text string, branches []string) string {
	goes := map[string]bool{}
	for _, b := range branches {
		goes[b] = true
	}
	var kept strings.Builder
	drop := false
	for line := range strings.Lines(text) {
		if section, subsection, ok := header(line); ok {
			drop = section == "branch" && goes[subsection]
		}
		if !drop {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// mentioned are those of the names that the text of a configuration has a section of.
func mentioned(text, section string, names []string) (list []string) {
	has := map[string]bool{}
	for line := range strings.Lines(text) {
		if s, name, ok := header(line); ok && s == section {
			has[name] = true
		}
	}
	for _, name := range names {
		if has[name] {
			list = append(list, name)
		}
	}
	return list
}

// header reads a line that begins a section, such as `[branch "a b"]`, with what may
// stand after it: the section in lower case and the subsection as it is called, ""
// without quotes.
func header(line string) (section, subsection string, ok bool) {
	const blank = " \t\r\n\v\f"
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, blank), "[")
	if !ok {
		return "", "", false
	}
	end := strings.IndexAny(rest, blank+"]")
	if end < 0 {
		return "", "", true // a header all the same, if one that git does not read
	}
	section = strings.ToLower(rest[:end])
	rest, quoted := strings.CutPrefix(strings.TrimLeft(rest[end:], blank), `"`)
	if !quoted {
		return section, "", true
	}
	var name strings.Builder
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '"':
			return section, name.String(), true
		case rest[i] == '\\' && i+1 < len(rest):
			i++
		}
		name.WriteByte(rest[i])
	}
	return section, "", true
}
