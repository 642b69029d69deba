package keep

import (
	"slices"
	"strings"
	"sync"
)

// A name says what is assigned to it.
type name struct {
	kind    string // of the secret, "" when it names none
	upper   bool   // as environment variables are written
	several bool   // more than one word: api_key rather than key
}

// Words that end a name without changing what it holds.
var trailing = words{list: `value base64 b64 hex prod production dev development staging stage test live local old new base`}

// Words before "key" in names of keys that are secret, and in those of keys that are not.
var (
	secretKeys = words{list: `api secret access private encryption encrypt decryption decrypt signing sign auth master
		account shared service jwt deploy admin root hmac webhook license subscription app aes rsa consumer client
		session crypto cipher storage server`}
	openKeys = words{list: `public pub primary foreign sort partition cache unique hot shortcut row column map group index
		lookup translation object routing host registry shift composite candidate natural surrogate idempotency
		config metric label tag publishable hash range order i18n locale current`}
)

// Words before "token" in the names of tokens that are places in a list, or parts of a
// language model's text.
var openTokens = words{list: `next page continuation pagination previous prev sync eos bos unk mask sep cls pad special start
	stop end first last current max min num`}

// Endings of a word in which the words were not parted.
var joined = []struct{ ending, kind string }{
	{"password", kindPassword}, {"passwd", kindPassword}, {"passphrase", kindPassword}, {"passwort", kindPassword},
	{"pwd", kindPassword}, {"authtoken", kindToken}, {"accesstoken", kindToken}, {"apitoken", kindToken},
	{"refreshtoken", kindToken}, {"clientsecret", kindSecret}, {"apisecret", kindSecret}, {"apikey", kindKey},
	{"secretkey", kindKey}, {"accesskey", kindKey}, {"privatekey", kindKey}, {"authkey", kindKey}, {"accountkey", kindKey},
}

// A words is a list of words, parted when it is first asked: nothing here costs a tool
// that archives nothing.
type words struct {
	list string
	once sync.Once
	each []string
}

func (w *words) all() []string {
	w.once.Do(func() { w.each = strings.Fields(w.list) })
	return w.each
}

func (w *words) has(word string) bool { return slices.Contains(w.all(), word) }

// classify tells what a name's last words say it holds.
func classify(s string) name {
	parts := split(s)
	for len(parts) > 1 && (trailing.has(parts[len(parts)-1]) || all(parts[len(parts)-1], isDigit)) {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return name{}
	}
	n := name{upper: some(s, isUpper) && !some(s, isLower), several: len(parts) > 1}
	last, before := strings.TrimRight(parts[len(parts)-1], "0123456789"), ""
	if n.several {
		before = parts[len(parts)-2]
	}
	n.kind = kindOf(last, before, n)
	return n
}

func kindOf(last, before string, n name) string {
	switch last {
	case "token":
		if !openTokens.has(before) {
			return kindToken
		}
	case "secret":
		return kindSecret
	case "credential", "credentials":
		return kindLogin
	case "pass":
		if n.several {
			return kindPassword
		}
	case "key":
		if secretKeys.has(before) || n.upper && n.several && !openKeys.has(before) {
			return kindKey
		}
	default:
		for _, j := range joined {
			if strings.HasSuffix(last, j.ending) {
				return j.kind
			}
		}
	}
	return ""
}

// split parts a name into its words, in lower case: api_key, api-key, api.key, apiKey and
// APIKey are all api and key.
func split(s string) []string {
	var parts []string
	start := 0
	cut := func(end, next int) {
		if end > start {
			parts = append(parts, strings.ToLower(s[start:end]))
		}
		start = next
	}
	for i := range len(s) {
		switch {
		case !isAlnum(s[i]):
			cut(i, i+1)
		case i > start && isUpper(s[i]) && (!isUpper(s[i-1]) || i+1 < len(s) && isLower(s[i+1])):
			cut(i, i)
		}
	}
	cut(len(s), len(s))
	return parts
}
