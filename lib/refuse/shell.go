package refuse

import "strings"

// Shell is s as one word of a shell command, quoted only where it must be, so that a
// resolve can be run as printed.
func Shell(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// special tells whether a shell would do something with the rune outside quotes.
func special(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r > 127:
		return false
	}
	return !strings.ContainsRune("%+,-./:=@_", r)
}
