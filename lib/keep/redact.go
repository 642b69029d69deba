package keep

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// A Finding is one secret in a text, or one mention of the home directory.
type Finding struct {
	Kind       string // lower-case words joined by hyphens, as they stand in the mark
	Start, End int    // bytes of the text
}

// Kinds that say little; a finding of the same bytes that says more wins over them.
const (
	kindHome     = "home"
	kindPassword = "password"
	kindToken    = "token"
	kindSecret   = "secret"
	kindKey      = "key"
	kindLogin    = "credentials"
)

var vague = []string{kindHome, kindPassword, kindToken, kindSecret, kindKey, kindLogin}

// maxPasses bounds how often a text is gone over. Each pass leaves less that is no
// mark, so a text that needs so many was built to; what is left refuses.
const maxPasses = 200

// Redact puts a mark, `[redacted:<kind>]`, in the place of each secret it knows, and ~
// in that of the home directory, an absolute path; it returns how many it replaced. A
// secret known from its surroundings is replaced wherever else it stands. What Redact
// returned comes back unchanged, and Scan finds nothing in it.
func Redact(text, home string) (clean string, n int) {
	var values []string
	for range maxPasses {
		found := Scan(text, home)
		if len(found) == 0 {
			before := n
			if text, n = repeats(text, values, n); n == before {
				break
			}
			values = nil
			continue
		}
		n += len(found)
		values = append(values, learn(text, found)...)
		text = replace(text, found)
	}
	return text, n
}

// Scan finds the secrets and the mentions of the home directory in a text, in order,
// none overlapping another.
func Scan(text, home string) []Finding {
	low := lower(text)
	found := shapes(text)
	found = append(found, webTokens(text)...)
	found = append(found, keyBlocks(text)...)
	found = append(found, logins(text)...)
	found = append(found, assignments(text)...)
	found = append(found, phrases(text, low)...)
	found = append(found, homes(text, home)...)
	return merge(found)
}

// merge makes one finding of those that share bytes.
func merge(found []Finding) []Finding {
	sort.Slice(found, func(i, j int) bool {
		a, b := found[i], found[j]
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Kind, b.Kind)) < 0
	})
	var out []Finding
	for _, f := range found {
		if len(out) == 0 || f.Start >= out[len(out)-1].End {
			out = append(out, f)
			continue
		}
		last := &out[len(out)-1]
		last.End = max(last.End, f.End)
		if slices.Contains(vague, last.Kind) && f.Kind != kindHome && (last.Kind == kindHome || !slices.Contains(vague, f.Kind)) {
			last.Kind = f.Kind
		}
	}
	return out
}

func replace(text string, found []Finding) string {
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		if f.Kind == kindHome {
			b.WriteString("~")
		} else {
			b.WriteString(mark(f.Kind))
		}
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

const markStart = "[redacted:"

func mark(kind string) string { return markStart + kind + "]" }

// markLen is the length of the mark that s starts with, 0 when it starts with none.
func markLen(s string) int {
	if !strings.HasPrefix(s, markStart) {
		return 0
	}
	for i := len(markStart); i < min(len(s), 60); i++ {
		if s[i] == ']' && i > len(markStart) {
			return i + 1
		}
		if (s[i] < 'a' || s[i] > 'z') && s[i] != '-' {
			return 0
		}
	}
	return 0
}

// marked tells whether s is marks and nothing else.
func marked(s string) bool {
	for s != "" {
		n := markLen(s)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return true
}

// learn returns the values that are telling enough to be looked for elsewhere: long,
// of letters and digits both, in one piece. A mark has no digits, so none is part of one.
func learn(text string, found []Finding) []string {
	var values []string
	for _, f := range found {
		value := text[f.Start:f.End]
		if f.Kind == kindURL {
			_, value, _ = strings.Cut(value, ":")
		}
		if f.Kind != kindHome && len(value) >= 8 && mixed(value) && !strings.ContainsAny(value, " \t\r\n[]") {
			values = append(values, value)
		}
	}
	return values
}

// repeats replaces the values wherever they still stand, the longest first.
func repeats(text string, values []string, n int) (string, int) {
	sort.Slice(values, func(i, j int) bool {
		a, b := values[i], values[j]
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) < 0
	})
	for _, value := range slices.Compact(values) {
		if count := strings.Count(text, value); count > 0 {
			text = strings.ReplaceAll(text, value, mark("repeated"))
			n += count
		}
	}
	return text, n
}
