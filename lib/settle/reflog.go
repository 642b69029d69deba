package settle

import (
	"os"
	"strconv"
	"strings"
)

// A move is one line of a reflog.
type move struct {
	id   string // where the ref went
	at   int64  // Unix time
	what string // git's message
}

// readLog reads a reflog's file, oldest first. A file that is not there, or is none,
// reads as empty: so do all where refs are kept in a reftable.
func readLog(path string) []move {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var log []move
	for _, line := range strings.Split(string(data), "\n") {
		if m, ok := parseMove(line); ok {
			log = append(log, m)
		}
	}
	return log
}

// parseMove reads `<old> <new> <name> <<mail>> <time> <zone> TAB <message>`.
func parseMove(line string) (move, bool) {
	head, what, _ := strings.Cut(line, "\t")
	ids := strings.SplitN(head, " ", 3)
	mail := strings.LastIndex(head, "> ")
	if len(ids) < 3 || mail < 0 {
		return move{}, false
	}
	when, _, _ := strings.Cut(head[mail+2:], " ")
	at, err := strconv.ParseInt(when, 10, 64)
	return move{id: ids[1], at: at, what: what}, err == nil
}

// authored are the commits that these moves made, newest first.
func authored(log []move) []string {
	var ids []string
	for i := len(log) - 1; i >= 0; i-- {
		if makes(log[i].what) {
			ids = append(ids, log[i].id)
		}
	}
	return ids
}

// makes tells whether a reflog message tells of a new commit, where a checkout, a
// reset, a fast-forward or a rebase's start and end only go to one.
func makes(message string) bool {
	action, rest, _ := strings.Cut(message, ": ")
	word, _, _ := strings.Cut(action, " ")
	switch word {
	case "commit", "cherry-pick", "revert", "am":
		return true
	case "merge":
		return strings.HasPrefix(rest, "Merge made by")
	case "rebase", "pull":
		if strings.HasPrefix(rest, "Merge made by") {
			return true
		}
		_, step, ok := strings.Cut(action, " (")
		return ok && !strings.HasPrefix(step, "start") && !strings.HasPrefix(step, "finish") &&
			!strings.HasPrefix(step, "abort") && !strings.HasPrefix(step, "reset")
	}
	return false
}
