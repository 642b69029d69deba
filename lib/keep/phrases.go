package keep

import (
	"regexp"
	"strings"
	"sync"
)

// A phrase is a secret that the words or the address around it give away. The last group
// of the expression is the secret; of two, the first is a name that says its kind.
type phrase struct {
	kind string
	hint string // in lower case, on every line that can match
	re   func() *regexp.Regexp
	ok   func(value string) bool
}

// compiled puts off compiling until a line holds the hint, so that no tool pays at start.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var knownPhrases = []phrase{
	{"bearer-token", "bearer", compiled(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})`), mixed},
	{"authorization", "authorization", compiled(`(?i)\bauthorization\\?["']?\s*[:=,]\s*\\?["']?(?:bearer|basic|token|apikey|digest)\s+([^\s"'\\,;<>]{6,})`), anyValue},
	{kindLogin, "curl", compiled(`\bcurl\b.*?\s(?:-u|--user)[ =]*["']?([^\s"':\[]+:[^\s"']+)`), anyLogin},
	{kindPassword, "login", compiled(`\blogin\s+\S+\s+password\s+(\S+)`), anyValue},
	{kindPassword, "sshpass", compiled(`\bsshpass\s+-p\s*["']?([^\s"']+)`), anyValue},
	{kindPassword, "mysql", compiled(`\bmysql\w*\b.*?\s-p["']?([^\s"']+)`), mixed},
	{kindPassword, "word is", compiled(`(?i)\bpassword is[\s:]+` + spoken), mixed},
	{kindToken, "token is", compiled(`(?i)\btoken is[\s:]+` + spoken), mixed},
	{kindKey, "key is", compiled(`(?i)\b(?:api|access|secret|private)[ _-]?key is[\s:]+` + spoken), mixed},
	{"", "|", compiled("\\|[\\s`*]*([A-Za-z][A-Za-z0-9_.-]*)[\\s`*]*\\|[\\s`*]*([^\\s|`*]+)[\\s`*]*(?:\\||$)"), mixed},
	{"", "</", compiled(`<([A-Za-z][A-Za-z0-9_.:-]*)(?:\s[^<>]*)?>([^\s<>]+)</`), anyValue},
	{"", "value=", compiled(`(?i)\b(?:key|name)="([^"]+)"\s+value="([^"]+)"`), anyValue},
	{"", "--", compiled(`(?:^|[\s"'])--([A-Za-z][A-Za-z0-9_-]*)[ \t]+["']?([^\s"'` + "`" + `]+)`), mixed},
	{"", "env ", compiled(`(?i:^\s*(?:setenv|env))\s+([A-Za-z][A-Za-z0-9_]*)\s+["']?([^\s"'=]+)`), anyValue},
	{"", "setx ", compiled(`(?i:\bsetx)\s+([A-Za-z][A-Za-z0-9_]*)\s+["']?([^\s"'=]+)`), anyValue},
	{"webhook", "hooks.slack.com", compiled(`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})`), mixed},
	{"webhook", "/api/webhooks/", compiled(`discord(?:app)?\.com/api/webhooks/([0-9]{10,}/[A-Za-z0-9_-]{20,})`), mixed},
	{"webhook", ".webhook.office.com", compiled(`\.webhook\.office\.com/(webhookb2/[A-Za-z0-9@/-]{40,})`), mixed},
	{"telegram-token", ":aa", compiled(`(?:\b|bot)([0-9]{8,10}:AA[A-Za-z0-9_-]{33})`), mixed},
	{"discord-token", "discord", compiled(`\b([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})`), mixed},
	{"mailchimp-key", "-us", compiled(`\b([0-9a-f]{32}-us[0-9]{1,2})\b`), mixed},
	{"terraform-token", ".atlasv1.", compiled(`\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})`), mixed},
	{"signature", "sig=", compiled(`[?&]sig=([A-Za-z0-9%/+_-]{30,}=*)`), mixed},
}

// spoken is a value in a sentence.
const spoken = "[*\"'`]*([^\\s\"'`,;*]{6,})"

func anyValue(v string) bool {
	return !marked(v) && !reference(v) && !placeholder(v)
}

func anyLogin(v string) bool {
	_, password, _ := strings.Cut(v, ":")
	return password != "" && anyValue(password)
}

// phrases finds them line by line, and looks closer only at lines that hold the hint: the
// expressions are slow beside the search for a word.
func phrases(text, low string) []Finding {
	var found []Finding
	for _, p := range knownPhrases {
		for at := 0; at < len(text); {
			i := strings.Index(low[at:], p.hint)
			if i < 0 {
				break
			}
			start, end := lineStart(text, at+i), lineEnd(text, at+i)
			found = append(found, p.on(text, start, end)...)
			at = end + 1
		}
	}
	return found
}

// on finds the phrase in one line of the text.
func (p phrase) on(text string, start, end int) []Finding {
	var found []Finding
	for _, m := range p.re().FindAllStringSubmatchIndex(text[start:end], -1) {
		kind, from, to := p.kind, start+m[2], start+m[3]
		if len(m) > 4 {
			kind = classify(text[from:to]).kind
			from, to = start+m[4], start+m[5]
		}
		if value := text[from:to]; kind != "" && !marked(value) && p.ok(value) && anyValue(value) {
			found = append(found, Finding{kind, from, to})
		}
	}
	return found
}
