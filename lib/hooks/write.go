package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// Write puts one hook into a folder of a Place, in place of the one there, and returns its path.
// A setup or teardown hook takes a command, a ports hook a number, a keep hook its patterns. The
// file comes to be whole or not at all, and a link is replaced rather than written through. A
// folder that is a link or no folder, and a directory in the hook's place, are refused.
func Write(folder string, k Kind, body ...string) (path string, err error) {
	if err := makeFolder(folder); err != nil {
		return "", err
	}
	path = filepath.Join(folder, string(k))
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return "", unwritable(path, "it is a directory")
	}
	text, mode := strings.Join(body, "\n")+"\n", fs.FileMode(0o644)
	if k == Setup || k == Teardown {
		text, mode = script(strings.Join(body, "\n")), 0o755
	}
	return path, replaceFile(path, text, mode)
}

// script is a hook that needs nothing but a shell. The inner shell takes its place, so signals
// reach the command and its exit status is the hook's.
func script(command string) string {
	return "#!/bin/sh\n" +
		"command=" + quoted(command) + "\n" +
		"exec sh -ec \"$command\"\n"
}

func makeFolder(folder string) error {
	err := fault.Mkdir(folder, 0o755)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return unwritable(folder, "it is a link, which is not followed")
	case !info.IsDir():
		return unwritable(folder, "it is not a directory")
	}
	return nil
}

func unwritable(path, reason string) *refuse.Refusal {
	return &refuse.Refusal{
		Code:    refuse.HookUnwritable,
		Message: path + " cannot be written: " + reason,
		Meta:    refuse.Meta{{Key: "path", Value: path}, {Key: "reason", Value: reason}},
		Resolve: refuse.Aside(path),
	}
}

func replaceFile(path, text string, mode fs.FileMode) error {
	f, err := fault.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(mode) // the caller's umask does not count: git tracks no more than this
	}
	if err == nil {
		err = fault.Sync(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fault.Rename(f.Name(), path)
	}
	if err != nil {
		fault.Remove(f.Name())
	}
	return err
}
