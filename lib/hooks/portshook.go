package hooks

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cniska/agent-worktree/lib/refuse"
)

const (
	maxPorts     = 1000 // ports one worktree may ask for
	maxPortsSize = 4096 // bytes read of a ports hook
	shownSize    = 60   // bytes of it that a refusal shows
)

// ParsePorts returns the whole number from 1 to 1000 that text is, in plain digits with no sign
// and no zero in front.
func ParsePorts(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= maxPorts && strconv.Itoa(n) == text
}

// PortsWanted returns how many ports each worktree of the project needs and the hook that says
// so: 0 and "" when there is no ports hook. One that cannot be read, or holds anything but one
// such number and perhaps a newline, is refused as invalid_ports.
func (p Place) PortsWanted() (n int, hook string, err error) {
	hook, err = p.Find(Ports)
	if err != nil || hook == "" {
		return 0, hook, err
	}
	text, err := readFile(hook, maxPortsSize)
	if err != nil {
		return 0, hook, p.invalidPorts(hook, "cannot be read: "+reasonOf(err), "reason", reasonOf(err))
	}
	n, ok := ParsePorts(strings.TrimSuffix(string(text), "\n"))
	if !ok {
		holds := shown(string(text))
		return 0, hook, p.invalidPorts(hook, `holds "`+holds+`"`, "holds", holds)
	}
	return n, hook, nil
}

func (p Place) invalidPorts(hook, why, key, value string) *refuse.Refusal {
	act := "cd " + refuse.Shell(p.Checkout) + " && agent-worktree install --ports <n>"
	if filepath.Dir(hook) == p.Local() {
		act = "agent-worktree install --local --ports <n>"
	}
	act = "write the number anew with " + act
	if info, err := os.Lstat(hook); err == nil && info.IsDir() { // install writes over none
		act = refuse.Aside(hook) + ", then " + act
	} else if err != nil {
		act = showFolder(hook)
	}
	return &refuse.Refusal{
		Code:    refuse.InvalidPorts,
		Message: "ports hook " + hook + " " + why + ", not a whole number from 1 to 1000",
		Meta:    refuse.Meta{{Key: "hook", Value: hook}, {Key: key, Value: value}},
		Resolve: act,
	}
}

// shown returns the beginning of a hook's content as one visible line.
func shown(text string) string {
	text = strings.TrimSuffix(text, "\n")
	if len(text) <= shownSize {
		return refuse.Visible(text)
	}
	end := shownSize
	for end > shownSize-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return refuse.Visible(text[:end]) + "…"
}
