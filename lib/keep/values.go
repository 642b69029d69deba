package keep

import (
	"slices"
	"strings"
)

// Words that stand where a value would and are none.
var notValues = words{list: `string str text char varchar bytes int integer number bool boolean any object array null none nil
	undefined true false yes no on off required optional unset empty todo tbd n/a redacted hidden unknown default`}

// Roots of an expression that reads a value rather than being one.
var readers = words{list: `self this config cfg conf args opts options req request res response ctx context env environ process
	os settings params props state data user client session secrets vars var local module import input result r c s`}

// reference tells whether a value says where the value is, such as $TOKEN, ${{ secrets.X }},
// <token> or %TOKEN%.
func reference(v string) bool {
	switch {
	case v == "":
		return false
	case strings.HasPrefix(v, "${{"), strings.HasPrefix(v, "{{"), strings.HasPrefix(v, "$("), v[0] == '`', v[0] == '<':
		return true
	case v[0] == '%', v[0] == '{':
		last := v[len(v)-1]
		return len(v) > 2 && (last == '%' || last == '}') && all(v[1:len(v)-1], isDotted)
	case v[0] != '$' || len(v) == 1:
		return false
	}
	name := v[1:]
	if inner, ok := strings.CutPrefix(name, "{"); ok {
		// ${NAME:?message} names no value, ${NAME:-value} does.
		if name, _, ok = strings.Cut(inner, ":?"); !ok {
			if name, ok = strings.CutSuffix(inner, "}"); !ok {
				return false
			}
		}
	}
	name = strings.TrimPrefix(name, "env:")
	return name != "" && !isDigit(name[0]) && all(name, isDotted)
}

// placeholder tells whether a value stands for one: dots, stars, xxxx, or the name of a type.
func placeholder(v string) bool {
	low := lower(v)
	same := len(v) > 2 && isLetter(v[0]) && strings.Trim(low, low[:1]) == ""
	return same || notValues.has(low) || strings.Trim(v, ".*…•-_?#") == ""
}

// pathlike tells whether a value is the path of a file, and not a key in base64 that
// happens to start with a slash.
func pathlike(v string) bool {
	if !slices.ContainsFunc([]string{"/", "./", "../", "~/", `C:\`}, func(p string) bool { return strings.HasPrefix(v, p) }) {
		return v == "~"
	}
	for _, part := range strings.Split(v, "/") {
		if strings.ContainsAny(part, "+=") || len(part) >= 16 && mixed(part) && some(part, isUpper) && some(part, isLower) {
			return false
		}
	}
	return true
}

// expression tells whether an unquoted value is code that yields one.
func expression(v string) bool {
	n := run(v, func(c byte) bool { return isDotted(c) || c == ':' || c == '>' })
	if n > 0 && n < len(v) && strings.IndexByte("([", v[n]) >= 0 && !isDigit(v[0]) {
		return true
	}
	if strings.IndexByte("([{&*@", v[0]) >= 0 {
		return true
	}
	if !all(v, func(c byte) bool { return isWord(c) || c == '.' }) || isDigit(v[0]) {
		return false
	}
	root, _, dotted := strings.Cut(v, ".")
	return dotted && readers.has(lower(root)) || !mixed(v) && classify(v).kind != ""
}

// plain tells whether a value is one short word, as a bare "token" or "secret" has in a
// text about code.
func plain(v string) bool {
	return len(v) < 16 && all(v, func(c byte) bool { return isLetter(c) || c == '-' || c == '_' || c == '.' })
}

// prose tells whether a quoted value is a label or a message about a secret.
func prose(v string) bool {
	if some(v, isDigit) || !strings.Contains(v, " ") {
		return false
	}
	for _, word := range strings.FieldsFunc(lower(v), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if slices.Contains([]string{"password", "passphrase", "token", "secret", "key", "credentials"}, word) {
			return true
		}
	}
	return false
}

// small tells whether a value is a count rather than a token.
func small(v string) bool { return len(v) <= 4 && all(v, isDigit) }

// address tells whether a value is the address of something. What a URL names before its
// host is found by itself.
func address(v string) bool {
	scheme, _, ok := strings.Cut(v, "://")
	return ok && scheme != "" && all(scheme, isDotted)
}
