package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cniska/agent-worktree/lib/release"
)

// notice prints the line that tells of a newer release, when there is one, as
// the first thing on stderr. hook has none: the plugin runs it, and the first
// line of its stderr is the reason of a failure. aw-latest is the check itself.
func notice(command string, getenv func(string) string, stderr io.Writer) {
	if command == "hook" || command == "aw-latest" {
		return
	}
	install, ok := release.Find(getenv)
	if !ok {
		return
	}
	if line := install.Notice(); line != "" {
		fmt.Fprintln(stderr, line)
	}
}

// lookup reads a variable of an environment; of several the last counts, as for
// os.Environ's own readers.
func lookup(env []string) func(string) string {
	return func(key string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if value, ok := strings.CutPrefix(env[i], key+"="); ok {
				return value
			}
		}
		return ""
	}
}

// Variable is a variable of the caller's environment, or "", for a main that has
// no verb.
func Variable(key string) string { return os.Getenv(key) }
