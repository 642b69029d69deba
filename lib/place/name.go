package place

import (
	"fmt"
	"strings"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// maxName is the longest name in bytes: git adds suffixes such as .lock to a
// branch's file, and the path has to stay usable.
const maxName = 200

// CheckName refuses a name that is not one path segment of ASCII letters, digits,
// dots, underscores and dashes which git takes as a branch name, and a few that git
// takes and then confuses with something else.
func CheckName(name string) error {
	why := badName(name)
	if why == "" {
		return nil
	}
	return &refuse.Refusal{
		Code:    refuse.InvalidName,
		Message: fmt.Sprintf("the name %q %s", shown(name), why),
		Meta:    refuse.Meta{{Key: "name", Value: shown(name)}, {Key: "reason", Value: why}},
		Resolve: "choose a name of letters, digits, dots, underscores and dashes, such as task-a",
	}
}

// shown is a name as a message can hold it.
func shown(name string) string {
	if len(name) > maxName {
		name = cut(name, maxName) + "…"
	}
	return refuse.Visible(name)
}

func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxName:
		return fmt.Sprintf("is longer than %d bytes", maxName)
	case strings.ContainsFunc(name, notNameRune):
		return "is not one path segment of ASCII letters, digits, dots, underscores and dashes"
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "-"):
		return "begins with a dot or a dash"
	case strings.HasSuffix(name, "."):
		return "ends with a dot"
	case strings.Contains(name, ".."):
		return "holds two dots in a row"
	case strings.HasSuffix(name, ".lock"):
		return "ends in .lock"
	}
	return likeRevision(name)
}

// likeRevision tells why git would take the name for something else than a branch.
func likeRevision(name string) string {
	if head := strings.ToUpper(name); head == "HEAD" || strings.HasSuffix(head, "_HEAD") {
		return "is one that git gives a meaning of its own"
	}
	hex := strings.Trim(strings.ToLower(name), "0123456789abcdef") == ""
	if hex && (len(name) == 40 || len(name) == 64) {
		return "reads as an object id"
	}
	return ""
}

// notNameRune also holds for ill-formed bytes, which range as U+FFFD.
func notNameRune(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return r != '.' && r != '_' && r != '-'
}

// BadBranch tells why a branch name is refused before git is asked, "" when git
// decides: over 200 bytes, or a last part that git gives another meaning.
func BadBranch(branch string) string {
	if len(branch) > maxName {
		return fmt.Sprintf("is longer than %d bytes", maxName)
	}
	return likeRevision(branch[strings.LastIndexByte(branch, '/')+1:])
}
