package keep

import "strings"

// What secrets are made of is ASCII; every other byte is part of a rune, and passed over
// whole since no test here is true of it.

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }
func isWord(c byte) bool   { return isAlnum(c) || c == '_' }
func isDash(c byte) bool   { return isWord(c) || c == '-' }
func isDotted(c byte) bool { return isDash(c) || c == '.' }
func isHex(c byte) bool    { return isDigit(c) || c >= 'a' && c <= 'f' }
func isCaps(c byte) bool   { return isUpper(c) || isDigit(c) }
func isBase64(c byte) bool { return isDash(c) || c == '+' || c == '/' || c == '=' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' }
func isSpace(c byte) bool  { return isBlank(c) || c == '\n' || c == '\r' || c == '\v' || c == '\f' }

// run is how many bytes at the start of s are of the set.
func run(s string, set func(byte) bool) int {
	n := 0
	for n < len(s) && set(s[n]) {
		n++
	}
	return n
}

func all(s string, set func(byte) bool) bool { return run(s, set) == len(s) }

func some(s string, set func(byte) bool) bool {
	for i := range len(s) {
		if set(s[i]) {
			return true
		}
	}
	return false
}

// mixed tells whether s has both a letter and a digit.
func mixed(s string) bool { return some(s, isLetter) && some(s, isDigit) }

// lower is s with its ASCII letters in lower case, as long as s.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isUpper(c) {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// escaped tells whether what stands before i is the end of an escape, such as the n of
// \n or the 3D of %3D, rather than a part of a word.
func escaped(text string, i int) bool {
	if i >= 2 && text[i-2] == '\\' && strings.IndexByte("nrtbfv", text[i-1]) >= 0 {
		return true
	}
	return i >= 3 && text[i-3] == '%' && isHex(text[i-2]|0x20) && isHex(text[i-1]|0x20)
}

// reach is how far a line is looked along from one place in it: minified files are one
// line of megabytes, and looking along it from each of its places would not end.
const reach = 4096

// lineStart is where the line that holds i starts, or a place that is reach before i.
func lineStart(text string, i int) int {
	from := max(0, i-reach)
	return from + strings.LastIndexByte(text[from:i], '\n') + 1
}

// lineEnd is where the line that holds i ends, before its newline.
func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}
