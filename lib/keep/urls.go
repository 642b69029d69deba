package keep

import "strings"

const kindURL = "url-credentials"

// logins finds the user and password, or the token, that a URL names before its host.
func logins(text string) []Finding {
	const sep = "://"
	var found []Finding
	for at := 0; ; {
		i := strings.Index(text[at:], sep)
		if i < 0 {
			return found
		}
		at += i + len(sep)
		if scheme := at - len(sep); scheme == 0 || !isAlnum(text[scheme-1]) {
			continue
		}
		if strings.IndexByte(text[at:min(len(text), at+reach)], '@') < 0 {
			continue
		}
		end := at
		for end < min(len(text), at+reach) && !isSpace(text[end]) && strings.IndexByte("\"'`<>\\", text[end]) < 0 {
			end++
		}
		sign := loginEnd(text[at:end])
		// An image's digest follows an @ too.
		if sign > 0 && !strings.HasPrefix(text[at+sign:], "@sha256:") && loginSecret(text[at:at+sign]) {
			found = append(found, Finding{kindURL, at, at + sign})
		}
	}
}

// loginEnd is where in a URL's rest the @ before the host stands, 0 when there is none.
// A password that nobody encoded may hold the bytes that would end the host, but a
// host's port is digits.
func loginEnd(rest string) int {
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	if sign := strings.LastIndexByte(host, '@'); sign >= 0 {
		return sign
	}
	user, port, ok := strings.Cut(host, ":")
	if !ok || user+port == "" || all(port, isDigit) {
		return 0
	}
	rest, _, _ = strings.Cut(rest, "://")
	return max(strings.LastIndexByte(rest, '@'), 0)
}

// loginSecret tells whether what a URL names before its host is more than a user's name.
func loginSecret(login string) bool {
	if marked(login) {
		return false
	}
	user, password, pair := strings.Cut(login, ":")
	if !pair || password == "" {
		return len(user) >= 20 && mixed(user) && !reference(user)
	}
	return !marked(password) && !reference(password) && !placeholder(password)
}
