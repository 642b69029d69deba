package refuse

import (
	"strings"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// Visible returns s for one line of a terminal. Control bytes, DEL, C1 controls,
// line and paragraph separators, marks that reorder or hide text and bytes that
// are no UTF-8 come out as visible \xNN or \uNNNN; newline, carriage return and
// tab as \n, \r and \t. It is for display: a backslash in s stays one, so the
// text cannot be taken back apart.
func Visible(s string) string {
	start := firstHidden(s)
	if start < 0 {
		return s
	}
	b := strings.Builder{}
	b.Grow(len(s) + 16)
	b.WriteString(s[:start])
	for i := start; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if hidden(r, size) {
			writeHidden(&b, r, s[i])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// firstHidden is the index of the first part of s that Visible changes, or -1.
func firstHidden(s string) int {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if hidden(r, size) {
			return i
		}
		i += size
	}
	return -1
}

// hidden reports whether a rune, as decoded with its size in bytes, can do
// something to a terminal or to a reader's eye other than show itself.
func hidden(r rune, size int) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == utf8.RuneError && size <= 1:
		return true
	case r < 0xad:
		return false
	}
	return r == 0xad || r == 0x61c || r == 0x180e || r == 0xfeff || // soft hyphen, ALM, MVS, BOM
		r >= 0x200b && r <= 0x200f || // zero width, LRM, RLM
		r >= 0x2028 && r <= 0x202e || // separators, embeddings, overrides
		r >= 0x2060 && r <= 0x206f || // word joiner, isolates, deprecated controls
		r >= 0xfff9 && r <= 0xfffb || // interlinear annotation
		r >= 0xe0000 && r <= 0xe007f // tags, which carry text nobody sees
}

// writeHidden writes the visible form of r, or of first when it is no rune.
func writeHidden(b *strings.Builder, r rune, first byte) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == utf8.RuneError, r < 0x80:
		b.WriteString(`\x`)
		b.WriteByte(hexDigits[first>>4])
		b.WriteByte(hexDigits[first&0xf])
	case r > 0xffff:
		writeHex(b, `\U`, r, 8)
	default:
		writeHex(b, `\u`, r, 4)
	}
}

func writeHex(b *strings.Builder, prefix string, r rune, digits int) {
	b.WriteString(prefix)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b.WriteByte(hexDigits[r>>shift&0xf])
	}
}
