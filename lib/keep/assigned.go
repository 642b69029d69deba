package keep

import "strings"

// value is where the assigned secret is, 0 and 0 when there is none.
func (a assignment) value() (start, end int) {
	a.skipMarkup()
	rest := a.text[a.at:]
	if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
		return 0, 0
	}
	if open := opening(rest); open != "" {
		return a.inQuotes(open)
	}
	if a.op == ":" && a.anchored && (rest[0] == '|' || rest[0] == '>') {
		return a.block()
	}
	return a.bare()
}

// skipMarkup passes over emphasis, a YAML tag and a type, as in `token: str = "…"`.
func (a *assignment) skipMarkup() {
	for {
		rest := a.text[a.at:]
		n := run(rest, func(c byte) bool { return c == '*' })
		switch word := run(rest, isWord); {
		case a.op == ":" && (n == 1 || n == 2):
		case strings.HasPrefix(rest, "!"):
			n = run(rest, func(c byte) bool { return c == '!' || isDotted(c) })
			if n == len(rest) || !isBlank(rest[n]) {
				return
			}
		case a.op == ":" && word > 0 && placeholder(rest[:word]):
			after := strings.TrimLeft(rest[word:], " ")
			if !strings.HasPrefix(after, "=") || strings.HasPrefix(after, "==") {
				return
			}
			n, a.op = len(rest)-len(after)+1, "="
		default:
			return
		}
		a.at += n
		a.at += run(a.text[a.at:], isBlank)
	}
}

// opening is the quote that s starts with, the prefix of a string literal included.
func opening(s string) string {
	n := run(s, func(c byte) bool { return strings.IndexByte("bBrRfFuU$", c) >= 0 })
	if n > 2 {
		n = 0
	}
	for _, quote := range []string{`"""`, "'''", `\"`, `\'`, `"`, "'", "`"} {
		if strings.HasPrefix(s[n:], quote) {
			return s[:n] + quote
		}
	}
	return ""
}

func (a assignment) inQuotes(open string) (start, end int) {
	quote := strings.TrimLeft(open, "bBrRfFuU$")
	if !a.quoted && len(quote) == 1 && a.closes(quote[0]) {
		return 0, 0
	}
	start = a.at + len(open)
	n := quotedLen(a.text[start:], quote, a.upper && a.op == "=")
	value := a.text[start : start+n]
	command := quote == "`" && a.op == "=" && strings.Contains(value, " ")
	if value == "" || command || a.exempt(value) || prose(value) {
		return 0, 0
	}
	return start, start + n
}

// closes tells whether a quote where a value would start ends a text that started
// earlier on the line, as in `input("password: ")`.
func (a assignment) closes(quote byte) bool {
	from := lineStart(a.text, a.start)
	open := false
	for i := from; i < a.start; i++ {
		inWord := quote == '\'' && i > 0 && isLetter(a.text[i-1]) && isLetter(a.text[i+1])
		if a.text[i] == quote && !inWord && (i == 0 || a.text[i-1] != '\\') {
			open = !open
		}
	}
	return open
}

// quotedLen is the length of a text up to its closing quote, or to the end of its line
// where it may be no longer than that, or is not closed anywhere near.
func quotedLen(s, quote string, lines bool) int {
	end := -1
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], quote):
			return i
		case s[i] == '\n' && len(quote) < 3:
			if !lines {
				return i
			}
			if end < 0 {
				end = i
			}
			if i-end > reach {
				return end
			}
		case s[i] == '\\' && i+1 < len(s) && quote != "'" && s[i+1] != '\n':
			i++
		}
	}
	if end >= 0 {
		return end
	}
	return len(s)
}

// block is a YAML block scalar: the lines below that are indented more than the name's.
func (a assignment) block() (start, end int) {
	at := lineEnd(a.text, a.at)
	if len(strings.TrimRight(a.text[a.at:at], " \r")) > 3 {
		return a.bare()
	}
	own := run(a.text[lineStart(a.text, a.start):], isBlank)
	for at < len(a.text) {
		line := at + 1
		stop := lineEnd(a.text, min(line, len(a.text)))
		indent := run(a.text[min(line, len(a.text)):stop], isBlank)
		if line+indent < stop && indent <= own {
			break
		}
		if line+indent < stop {
			if start == 0 {
				start = line + indent
			}
			end = stop
		}
		at = stop
	}
	if marked(strings.TrimSpace(a.text[start:end])) {
		return 0, 0
	}
	return start, end
}

// bare is a value without quotes.
func (a assignment) bare() (start, end int) {
	if a.op != "=" && a.op != ":" {
		return 0, 0
	}
	rest := a.text[a.at:]
	n := a.bareLen(rest)
	if scheme(rest[:n]) {
		n += run(rest[n:], isBlank)
		n += a.bareLen(rest[n:])
	}
	value := strings.TrimRight(rest[:n], ",;.")
	if value == "" || a.exempt(value) || !a.upper && expression(value) {
		return 0, 0
	}
	if !a.counts(value, rest[n:]) {
		return 0, 0
	}
	return a.at, a.at + len(value)
}

// scheme tells whether a value is the first word of two, as in TOKEN=Bearer abc.
func scheme(v string) bool {
	v = lower(v)
	return v == "bearer" || v == "basic"
}

// bareLen is where an unquoted value ends. On a line of its own only white space ends
// it; elsewhere what parts parameters, arguments and members does as well.
func (a assignment) bareLen(rest string) int {
	ends := "\"'`<>,;&|)}\\"
	if a.anchored {
		ends = ""
	}
	n := 0
	for n < len(rest) && !isSpace(rest[n]) && strings.IndexByte(ends, rest[n]) < 0 {
		n += max(markLen(rest[n:]), 1)
	}
	return n
}

// counts tells whether an unquoted value is likely to be one rather than a word of prose
// or code. after is the text that follows it.
func (a assignment) counts(value, after string) bool {
	if mixed(value) && len(value) >= 6 || a.op == "=" && !a.spaced {
		return true
	}
	after = after[run(after, isBlank):]
	// A header in a command's argument: -H "X-Api-Key: abc".
	if a.op == ":" && !a.quoted && strings.Contains(a.text[a.start:a.at], "-") && after != "" && strings.IndexByte("\"'", after[0]) >= 0 {
		return true
	}
	member := strings.HasPrefix(after, ",") || strings.HasPrefix(after, "}")
	alone := after == "" || strings.IndexByte("\r\n#,;}", after[0]) >= 0 || strings.HasPrefix(after, "//")
	if !a.anchored && !(a.quoted && (alone || member)) {
		return false
	}
	return alone || a.upper && a.op == "="
}

// exempt tells whether a value is no secret whatever its name.
func (a assignment) exempt(v string) bool {
	v = strings.Trim(v, " \t")
	if v == "" || marked(v) || reference(v) || placeholder(v) || pathlike(v) || address(v) {
		return true
	}
	if (a.kind == kindToken || a.kind == kindKey) && small(v) {
		return true
	}
	if a.upper {
		return false
	}
	return classify(v).kind == a.kind && len(split(v)) == 1 ||
		!a.several && a.kind != kindPassword && plain(v)
}
