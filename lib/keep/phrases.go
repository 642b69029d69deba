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
	re   *pattern
	ok   func(value string) bool
}

// A pattern is compiled when a line holds the hint for the first time, so that no tool
// pays at its start.
type pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

var knownPhrases = []phrase{
	{"bearer-token", "bearer", &pattern{text: `(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})`}, mixed},
	{"authorization", "authorization", &pattern{text: `(?i)\bauthorization\\?["']?\s*[:=,]\s*\\?["']?(?:bearer|basic|token|apikey|digest)\s+([^\s"'\\,;<>]{6,})`}, anyValue},
	{kindLogin, "curl", &pattern{text: `\bcurl\b.*?\s(?:-u|--user)[ =]*["']?([^\s"':\[]+:[^\s"']+)`}, anyLogin},
	{kindPassword, "login", &pattern{text: `\blogin\s+\S+\s+password\s+(\S+)`}, anyValue},
	{kindPassword, "sshpass", &pattern{text: `\bsshpass\s+-p\s*["']?([^\s"']+)`}, anyValue},
	{kindPassword, "mysql", &pattern{text: `\bmysql\w*\b.*?\s-p["']?([^\s"']+)`}, mixed},
	{kindPassword, "word is", &pattern{text: `(?i)\bpassword is[\s:]+` + spoken}, mixed},
	{kindToken, "token is", &pattern{text: `(?i)\btoken is[\s:]+` + spoken}, mixed},
	{kindKey, "key is", &pattern{text: `(?i)\b(?:api|access|secret|private)[ _-]?key is[\s:]+` + spoken}, mixed},
	{"", "|", &pattern{text: "\\|[\\s`*]*([A-Za-z][A-Za-z0-9_.-]*)[\\s`*]*\\|[\\s`*]*([^\\s|`*]+)[\\s`*]*(?:\\||$)"}, mixed},
	{"", "</", &pattern{text: `<([A-Za-z][A-Za-z0-9_.:-]*)(?:\s[^<>]*)?>([^\s<>]+)</`}, anyValue},
	{"", "value=", &pattern{text: `(?i)\b(?:key|name)="([^"]+)"\s+value="([^"]+)"`}, anyValue},
	{"", "--", &pattern{text: `(?:^|[\s"'])--([A-Za-z][A-Za-z0-9_-]*)[ \t]+["']?([^\s"'` + "`" + `]+)`}, mixed},
	{"", "env ", &pattern{text: `(?i:^\s*(?:setenv|env))\s+([A-Za-z][A-Za-z0-9_]*)\s+["']?([^\s"'=]+)`}, anyValue},
	{"", "setx ", &pattern{text: `(?i:\bsetx)\s+([A-Za-z][A-Za-z0-9_]*)\s+["']?([^\s"'=]+)`}, anyValue},
	{"webhook", "hooks.slack.com", &pattern{text: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{20,})`}, mixed},
	{"webhook", "/api/webhooks/", &pattern{text: `discord(?:app)?\.com/api/webhooks/([0-9]{10,}/[A-Za-z0-9_-]{20,})`}, mixed},
	{"webhook", ".webhook.office.com", &pattern{text: `\.webhook\.office\.com/(webhookb2/[A-Za-z0-9@/-]{40,})`}, mixed},
	{"telegram-token", ":aa", &pattern{text: `(?:\b|bot)([0-9]{8,10}:AA[A-Za-z0-9_-]{33})`}, mixed},
	{"discord-token", "discord", &pattern{text: `\b([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})`}, mixed},
	{"mailchimp-key", "-us", &pattern{text: `\b([0-9a-f]{32}-us[0-9]{1,2})\b`}, mixed},
	{"terraform-token", ".atlasv1.", &pattern{text: `\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})`}, mixed},
	{"signature", "sig=", &pattern{text: `[?&]sig=([A-Za-z0-9%/+_-]{30,}=*)`}, mixed},
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
	for _, m := range p.re.compiled().FindAllStringSubmatchIndex(text[start:end], -1) {
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
