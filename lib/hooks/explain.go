package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// firstLineSize is how much of a file the systems read for its #! line, and more.
const firstLineSize = 1024

// explain turns the failure to start a hook into the refusal. file is what was executed: the
// hook or the copy of its bytes.
func explain(hook, file string, err error) error {
	head := firstLine(file)
	program, hasLine := interpreter(head)
	edit := "mend its first line, such as #!/bin/sh, then try " + refuse.Shell(hook)
	switch {
	case errors.Is(err, syscall.ENOEXEC) && hasLine:
		return unrunnable(hook, "its interpreter "+program+" is no program for this system", edit)
	case errors.Is(err, syscall.ENOEXEC):
		return unrunnable(hook, "it is no program for this system and names none with #!", edit)
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(head, "\r"):
		return carriageReturn(hook)
	case errors.Is(err, fs.ErrNotExist) && hasLine:
		return unrunnable(hook, "its interpreter "+program+" does not exist", edit)
	case errors.Is(err, fs.ErrNotExist) && head != "":
		return unrunnable(hook, "the loader it needs does not exist", "build it for this system")
	case errors.Is(err, fs.ErrPermission) && hasLine && !runs(program):
		return unrunnable(hook, "its interpreter "+program+" cannot be executed", edit)
	case errors.Is(err, fs.ErrPermission):
		return unrunnable(hook, "permission denied, as on a file system mounted noexec",
			"make it executable for this account with chmod a+rx "+refuse.Shell(hook)+
				", or mount its file system without noexec")
	}
	return unrunnable(hook, reasonOf(err), "try "+refuse.Shell(hook))
}

func carriageReturn(hook string) *refuse.Refusal {
	return unrunnable(hook, "its first line ends in a carriage return",
		fmt.Sprintf("give it plain line ends with perl -pi -e 's/\\r$//' %s", refuse.Shell(hook)))
}

// missingInterpreter reports whether a hook that exited did so before its first line ran: env
// starts, and finds no program whose name ends in a carriage return. That is status 127, or 126
// where a directory of PATH cannot be searched.
func missingInterpreter(file string, status int) bool {
	head := firstLine(file)
	_, hasLine := interpreter(head)
	return (status == 126 || status == 127) && hasLine && strings.HasSuffix(head, "\r")
}

// firstLine returns a file's first line without its newline, "" when it cannot be read.
func firstLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, firstLineSize))
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return string(line)
}

// interpreter returns the program that a #! line names, in visible form.
func interpreter(line string) (program string, ok bool) {
	rest, ok := strings.CutPrefix(line, "#!")
	if fields := strings.Fields(rest); ok && len(fields) > 0 {
		return refuse.Visible(fields[0]), true
	}
	return "", false
}

func runs(program string) bool {
	info, err := os.Stat(program)
	return err == nil && info.Mode().IsRegular() && executable(info)
}
