package release

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Notice is the line that tells of a newer release, or "". At most once a day it
// starts aw-latest to ask the channel instead, does not wait for it and has no
// line, so that no run ever waits for a network. Nothing that fails here is
// told: a tool does what it was called for, whatever becomes of this.
func (i Install) Notice() string {
	known := i.Known()
	if known.due(time.Now()) && i.ask() {
		return ""
	}
	if !Newer(known.Latest, Version()) {
		return ""
	}
	return fmt.Sprintf("agent-worktree %s is out (running %s): run %s; if you cannot, tell the user.",
		known.Latest, Version(), i.Channel.Upgrade())
}

// ask starts a check, and reports whether there is one, its own or another
// process's. Of many tools that start at once, the lock lets one through.
func (i Install) ask() bool {
	tool := i.latestTool()
	if tool == "" || os.MkdirAll(filepath.Dir(i.record), 0o700) != nil {
		return false
	}
	unlock, free := lock(filepath.Dir(i.record))
	if !free {
		return true
	}
	defer unlock()
	if !i.Known().due(time.Now()) {
		return true
	}
	if i.Begin() != nil {
		return false
	}
	start(tool)
	return true
}

// latestTool is the path of the install's aw-latest, or "" when it has none:
// packagers may leave it out, and then there is no check.
func (i Install) latestTool() string {
	dir := filepath.Dir(i.executable)
	for _, dir := range []string{dir, filepath.Join(dir, "..", "libexec", "agent-worktree")} {
		path := filepath.Join(dir, "aw-latest")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// start runs tool with none of our streams, in a session of its own, so that
// neither the terminal nor whoever reads our output has to do with it, and not
// in our directory, where it would pass for somebody at work.
func start(tool string) {
	check := exec.Command(tool)
	check.Dir = string(filepath.Separator)
	detach(check)
	if check.Start() == nil {
		check.Process.Release()
	}
}
