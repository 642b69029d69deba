package keep

import "strings"

const (
	keyWords = "PRIVATE KEY"
	dashes   = "----"    // PEM has five, SSH's own form four
	maxKey   = 128 << 10 // the longest body that is looked for, in bytes
)

// keyBlocks finds private keys in their armour: PEM, OpenSSH, SSH2, PGP and PuTTY's. The
// armour alone, as in a text about keys, is none.
func keyBlocks(text string) []Finding {
	var found []Finding
	for at := 0; ; {
		i := strings.Index(text[at:], keyWords)
		if i < 0 {
			return append(found, puttyKeys(text)...)
		}
		at += i + len(keyWords)
		start, body, ok := armour(text, at-len(keyWords))
		if !ok {
			continue
		}
		if end := body + keyBody(text[body:]); end > body {
			found = append(found, Finding{"private-key", start, end})
			at = end
		}
	}
}

// armour is the line that opens a block whose words are at i, and where its body starts.
func armour(text string, i int) (start, body int, ok bool) {
	head := text[max(0, i-60):i]
	begin := strings.LastIndex(head, "BEGIN ")
	if begin < 0 || !all(head[begin+6:], func(c byte) bool { return isCaps(c) || c == ' ' }) {
		return 0, 0, false
	}
	before := strings.TrimRight(head[:begin], " ")
	if !strings.HasSuffix(before, dashes) {
		return 0, 0, false
	}
	start = i - len(head) + len(strings.TrimRight(before, "-"))
	rest := text[i+len(keyWords):]
	after := strings.TrimLeft(strings.TrimPrefix(rest, " BLOCK"), " ")
	if !strings.HasPrefix(after, dashes) {
		return 0, 0, false
	}
	after = strings.TrimLeft(after, "-")
	return start, len(text) - len(after), true
}

// keyBody is how long a key's body and closing line are, 0 when nothing in it is key. A
// block that nobody closed ends where what follows no longer looks like key.
func keyBody(body string) int {
	body, _, _ = strings.Cut(body[:min(len(body), maxKey)], dashes+"BEGIN ")
	end := strings.Index(body, dashes+"END")
	if spaced := strings.Index(body, dashes+" END"); spaced >= 0 && (end < 0 || spaced < end) {
		end = spaced
	}
	if end >= 0 {
		if !telling(body[:end]) {
			return 0
		}
		close := strings.TrimLeft(body[end:], "-")
		close = close[run(close, func(c byte) bool { return isCaps(c) || c == ' ' }):]
		return len(body) - len(strings.TrimLeft(close, "-"))
	}
	return openBody(body)
}

// openBody is the length of the words at the start of body that are long runs of base64.
func openBody(body string) int {
	end := 0
	for at := 0; at < len(body); {
		at += run(body[at:], func(c byte) bool { return isSpace(c) || strings.IndexByte(`\"'>|#*`, c) >= 0 })
		at += newlines(body[at:])
		n := run(body[at:], isBase64)
		if n < 16 {
			break
		}
		at += n
		end = at
	}
	return end
}

// newlines is how many bytes of s are the letters of escaped line breaks, \n and \r\n,
// whose backslash went before.
func newlines(s string) int {
	for _, escape := range []string{`r\n`, `n`} {
		if rest, ok := strings.CutPrefix(s, escape); ok && rest != "" && isBase64(rest[0]) {
			return len(escape)
		}
	}
	return 0
}

// telling tells whether s has base64 long enough to be a part of a key.
func telling(s string) bool {
	for at := 0; at < len(s); at++ {
		n := run(s[at:], isBase64)
		if n >= 16 {
			return true
		}
		at += n
	}
	return false
}

// puttyKeys finds the private part of a PuTTY key file.
func puttyKeys(text string) []Finding {
	var found []Finding
	for at := 0; ; {
		i := strings.Index(text[at:], "Private-Lines:")
		if i < 0 {
			return found
		}
		start := lineEnd(text, at+i)
		at += i + 1
		if n := openBody(text[start:]); n > 0 {
			found = append(found, Finding{"private-key", start + run(text[start:], isSpace), start + n})
			at = start + n
		}
	}
}
