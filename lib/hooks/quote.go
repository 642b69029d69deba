package hooks

import "strings"

// quoted returns s in single quotes, within which a shell takes every byte as it stands.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
