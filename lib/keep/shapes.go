package keep

import "strings"

// A shape is a token that its issuer made to be recognised: a prefix, then so many bytes
// of one set.
type shape struct {
	kind, prefix string
	set          func(byte) bool
	least        int // how many of them at least
	where        where
}

// where says in what surroundings a shape counts: the more common its prefix is in
// other text, the fewer.
type where int

const (
	anywhere where = iota
	atWord         // where a word starts
	whole          // as a word of exactly that length
)

// tokenShapes are written without their prefixes joined to anything, so that no scanner
// takes this table for a leak.
var tokenShapes = []shape{
	{"github-token", "ghp_", isAlnum, 30, anywhere},
	{"github-token", "gho_", isAlnum, 30, anywhere},
	{"github-token", "ghu_", isAlnum, 30, anywhere},
	{"github-token", "ghs_", isDotted, 30, anywhere},
	{"github-token", "ghr_", isAlnum, 30, anywhere},
	{"github-token", "github_pat_", isWord, 40, anywhere},
	{"gitlab-token", "glpat-", isDotted, 18, anywhere},
	{"gitlab-token", "gldt-", isDash, 18, atWord},
	{"gitlab-token", "glrt-", isDotted, 18, atWord},
	{"gitlab-token", "glcbt-", isDash, 18, atWord},
	{"gitlab-token", "glptt-", isDash, 18, atWord},
	{"gitlab-token", "gloas-", isDash, 18, atWord},
	{"gitlab-token", "glsoat-", isDash, 18, atWord},
	{"slack-token", "xoxb-", isDash, 10, anywhere},
	{"slack-token", "xoxp-", isDash, 10, anywhere},
	{"slack-token", "xoxa-", isDash, 10, anywhere},
	{"slack-token", "xoxr-", isDash, 10, anywhere},
	{"slack-token", "xoxs-", isDash, 10, anywhere},
	{"slack-token", "xoxe-", isDash, 10, anywhere},
	{"slack-token", "xoxe.xoxp-", isDash, 10, anywhere},
	{"slack-token", "xoxc-", isDash, 10, anywhere},
	{"slack-token", "xoxd-", isBase64, 10, anywhere},
	{"slack-token", "xapp-", isDash, 20, anywhere},
	{"aws-key", "AKIA", isCaps, 16, whole},
	{"aws-key", "ASIA", isCaps, 16, whole},
	{"aws-key", "ABIA", isCaps, 16, whole},
	{"aws-key", "ACCA", isCaps, 16, whole},
	{"google-key", "AIza", isDash, 30, atWord},
	{"google-secret", "GOCSPX-", isDash, 20, anywhere},
	{"google-token", "ya29.", isDotted, 20, atWord},
	{"stripe-key", "sk_live_", isAlnum, 10, anywhere},
	{"stripe-key", "rk_live_", isAlnum, 10, anywhere},
	{"stripe-key", "sk_test_", isAlnum, 10, anywhere},
	{"stripe-key", "rk_test_", isAlnum, 10, anywhere},
	{"stripe-secret", "whsec_", isBase64, 20, anywhere},
	{"npm-token", "npm_", isAlnum, 30, atWord},
	{"pypi-token", "pypi-AgE", isDash, 40, anywhere},
	{"openai-key", "sk-proj-", isDash, 20, atWord},
	{"openai-key", "sk-svcacct-", isDash, 20, atWord},
	{"openai-key", "sk-admin-", isDash, 20, atWord},
	{"openai-key", "sk-", isAlnum, 32, atWord},
	{"anthropic-key", "sk-ant-", isDash, 20, anywhere},
	{"openrouter-key", "sk-or-v1-", isAlnum, 30, atWord},
	{"huggingface-token", "hf_", isAlnum, 30, atWord},
	{"huggingface-token", "api_org_", isAlnum, 30, atWord},
	{"sendgrid-key", "SG.", isDotted, 60, atWord},
	{"twilio-key", "SK", isHex, 32, whole},
	{"digitalocean-token", "dop_v1_", isHex, 40, anywhere},
	{"digitalocean-token", "doo_v1_", isHex, 40, anywhere},
	{"digitalocean-token", "dor_v1_", isHex, 40, anywhere},
	{"shopify-token", "shpat_", isAlnum, 30, anywhere},
	{"shopify-token", "shpca_", isAlnum, 30, anywhere},
	{"shopify-token", "shppa_", isAlnum, 30, anywhere},
	{"shopify-secret", "shpss_", isAlnum, 30, anywhere},
	{"linear-key", "lin_api_", isAlnum, 30, anywhere},
	{"notion-token", "ntn_", isAlnum, 40, atWord},
	{"figma-token", "figd_", isDash, 30, atWord},
	{"databricks-token", "dapi", isHex, 32, atWord},
	{"doppler-token", "dp.pt.", isAlnum, 40, atWord},
	{"vault-token", "hvs.", isDash, 24, atWord},
	{"vault-token", "hvb.", isDash, 24, atWord},
	{"mailgun-key", "key-", isHex, 32, whole},
	{"square-token", "sq0atp-", isDash, 20, anywhere},
	{"square-secret", "sq0csp-", isDash, 30, anywhere},
	{"docker-token", "dckr_pat_", isDash, 20, anywhere},
	{"grafana-token", "glsa_", isWord, 30, atWord},
	{"newrelic-key", "NRAK-", isCaps, 20, atWord},
	{"planetscale-token", "pscale_tkn_", isDotted, 30, anywhere},
	{"planetscale-password", "pscale_pw_", isDotted, 30, anywhere},
	{"sentry-token", "sntrys_", isBase64, 40, anywhere},
	{"sentry-token", "sntryu_", isHex, 40, anywhere},
	{"age-key", "AGE-SECRET-KEY-1", isCaps, 50, anywhere},
	{"groq-key", "gsk_", isAlnum, 40, atWord},
	{"xai-key", "xai-", isAlnum, 60, atWord},
	{"replicate-token", "r8_", isAlnum, 30, atWord},
	{"perplexity-key", "pplx-", isAlnum, 40, atWord},
	{"tailscale-key", "tskey-", isDash, 20, atWord},
	{"supabase-token", "sbp_", isHex, 40, atWord},
	{"supabase-key", "sb_secret_", isDash, 20, atWord},
	{"atlassian-token", "ATATT3", isBase64, 60, atWord},
	{"rubygems-key", "rubygems_", isHex, 40, atWord},
	{"pulumi-token", "pul-", isHex, 40, atWord},
	{"postman-key", "PMAK-", isDash, 40, atWord},
	{"airtable-token", "pat", isDotted, 76, atWord},
	{"netlify-token", "nfp_", isAlnum, 36, atWord},
}

// shapes finds the tokens that have a known prefix.
func shapes(text string) []Finding {
	var found []Finding
	for _, s := range tokenShapes {
		for at := 0; ; {
			i := strings.Index(text[at:], s.prefix)
			if i < 0 {
				break
			}
			at += i
			n := s.match(text, at)
			if n > 0 {
				found = append(found, Finding{s.kind, at, at + n})
			}
			at += max(n, 1)
		}
	}
	return found
}

// match is the length of the token at i, 0 when there is none. A made-up word such as
// sk-ant-colony-optimisation-notes has no digit; a token of that length always has.
func (s shape) match(text string, i int) int {
	if s.where != anywhere && !startsWord(text, i) {
		return 0
	}
	body := text[i+len(s.prefix):]
	n := run(body, s.set)
	if s.where == whole && (n != s.least || n < len(body) && isDash(body[n])) {
		return 0
	}
	for n > 0 && body[n-1] == '.' { // the sentence's
		n--
	}
	if n < s.least || !some(body[:n], isDigit) {
		return 0
	}
	return len(s.prefix) + n
}

// startsWord tells whether no word goes on at i.
func startsWord(text string, i int) bool {
	return i == 0 || !isDash(text[i-1]) || escaped(text, i)
}

// webTokens finds JSON web tokens, signed or encrypted: parts in base64 of which the
// first, and of a signed one the second, is a JSON object.
func webTokens(text string) []Finding {
	var found []Finding
	for at := 0; ; {
		i := strings.Index(text[at:], jsonObject)
		if i < 0 {
			return found
		}
		start := at + i
		at = start + run(text[start:], isDotted)
		parts := strings.Split(text[start:at], ".")
		for k, from := 0, start; k < len(parts); k++ {
			if startsWord(text, from) && webToken(parts[k:]) {
				found = append(found, Finding{"jwt", from, at})
				break
			}
			from += len(parts[k]) + 1
		}
	}
}

const jsonObject = "eyJ" // how base64 of {" starts

func webToken(parts []string) bool {
	if len(parts) < 3 || len(parts[0]) < 10 || !strings.HasPrefix(parts[0], jsonObject) {
		return false
	}
	return strings.HasPrefix(parts[1], jsonObject) && len(parts[1]) >= 10 || len(parts) >= 5 && len(parts[3]) >= 10
}
