package keep

import "strings"

// An assignment is a name and what follows its operator, wherever in a text: a line of a
// dotenv, ini, TOML or YAML file, a member of a JSON object, a parameter, a shell's export,
// code.
type assignment struct {
	text string
	name
	start    int    // of the name
	quoted   bool   // the name stands in quotes of its own
	op       string // = : == => :=
	spaced   bool   // blanks before the value or before the operator
	anchored bool   // the line starts with it
	at       int    // where the value starts
}

// assignments finds the values of names that say they hold a secret.
func assignments(text string) []Finding {
	var found []Finding
	for at := 0; at < len(text); {
		i := strings.IndexAny(text[at:], "=:")
		if i < 0 {
			break
		}
		at += i
		a, ok := parseAssignment(text, at)
		at += max(len(a.op), 1)
		if !ok {
			continue
		}
		if start, end := a.value(); end > start {
			found = append(found, Finding{a.kind, start, end})
			at = end
		}
	}
	return found
}

// parseAssignment reads what stands around the operator at i.
func parseAssignment(text string, i int) (assignment, bool) {
	a := assignment{text: text, op: operator(text[i:])}
	if i > 0 && strings.IndexByte("!<>=:+-/%&|^~", text[i-1]) >= 0 || a.op == "::" {
		return a, false
	}
	end := i
	for end > 0 && isBlank(text[end-1]) && i-end < 64 {
		end--
	}
	a.spaced = end < i
	if end > 0 && text[end-1] == '?' { // make's ?=, and an optional member
		end--
	}
	for n := 0; end > 0 && n < 5 && strings.IndexByte("\"'`)]\\*", text[end-1]) >= 0; n++ {
		a.quoted = a.quoted || strings.IndexByte("\"'`", text[end-1]) >= 0
		end--
	}
	a.start = end
	for a.start > 0 && isDotted(text[a.start-1]) && end-a.start < 100 {
		a.start--
	}
	if a.start < end && escaped(text, a.start+1) {
		a.start++ // the n of \nTOKEN=
	}
	if strings.HasSuffix(text[:a.start], "://") {
		return a, false // a user; logins has it
	}
	a.name = classify(spelled(text, a.start, end))
	if a.kind == "" {
		return a, a.login(end)
	}
	a.anchored = anchored(text[lineStart(text, a.start):a.start])
	a.at = i + len(a.op)
	blanks := run(text[a.at:], isBlank)
	a.at += blanks
	a.spaced = a.spaced || blanks > 0
	return a, true
}

// login takes Docker's and npm's "auth", whose value is a user and password in base64.
func (a *assignment) login(end int) bool {
	word := a.text[a.start:end]
	if word != "_auth" && (word != "auth" || !a.quoted) {
		return false
	}
	at := a.start + strings.IndexAny(a.text[a.start:], "=:") + 1
	at += run(a.text[at:], func(c byte) bool { return isBlank(c) || c == '"' })
	n := run(a.text[at:], isBase64)
	a.kind, a.several, a.op, a.spaced, a.at = kindLogin, true, "=", false, at
	return n >= 8 && !all(a.text[at:at+n], isLower)
}

func operator(s string) string {
	for _, op := range []string{"::", ":=", "==", "=>"} {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return s[:1]
}

// spelled is the name between start and end, with the word before it where that is what
// makes a key an API key.
func spelled(text string, start, end int) string {
	word := text[start:end]
	if lower(word) != "key" || start == 0 || text[start-1] != ' ' {
		return word
	}
	before := start - 1
	for before > 0 && isLetter(text[before-1]) && start-before < 20 {
		before--
	}
	return text[before:start-1] + "_" + word
}

// Words that may stand between the start of a line and the name that it assigns to.
var openers = words{list: `export set setenv declare local readonly typeset env const let var val final private public static
	protected string String str char auto my our api access secret account`}

// anchored tells whether what stands before a name on its line is what may stand before
// an assignment: indentation, a list's or a comment's mark, a keyword, a quote.
func anchored(before string) bool {
	if len(before) > 200 { // lineStart may not have reached the start
		return false
	}
	marks := func(r rune) bool { return strings.ContainsRune(" \t\r-*>#/+|\"'`$@;:", r) }
	for _, word := range strings.FieldsFunc(before, marks) {
		known := false
		for _, opener := range openers.all() {
			known = known || word == opener || lower(word) == opener
		}
		if !known {
			return false
		}
	}
	return true
}
