package settle

import (
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// fetchURL is where the remote is read from, "" when it is not configured.
func fetchURL(config git.Config, remote string) string {
	urls := listed(config["remote."+remote+".url"])
	if len(urls) == 0 {
		return ""
	}
	return rewrite(config, urls[0], ".insteadof")
}

// hasURL tells whether the remote is configured with a URL to read it from.
func hasURL(config git.Config, remote string) bool {
	return len(listed(config["remote."+remote+".url"])) > 0
}

// listed are a list setting's values; an empty one clears those before it.
func listed(values []string) []string {
	var list []string
	for _, v := range values {
		if v == "" {
			list = nil
			continue
		}
		list = append(list, v)
	}
	return list
}

// pushesElsewhere tells whether a push to the remote would reach another repository
// than the one it is read from, which alone was judged.
func pushesElsewhere(config git.Config, remote string) bool {
	from := fetchURL(config, remote)
	for _, to := range pushURLs(config, remote) {
		if to != from {
			return true
		}
	}
	return false
}

func pushURLs(config git.Config, remote string) []string {
	var urls []string
	for _, u := range listed(config["remote."+remote+".pushurl"]) {
		urls = append(urls, rewrite(config, u, ".insteadof"))
	}
	if len(urls) > 0 {
		return urls
	}
	for _, u := range listed(config["remote."+remote+".url"]) {
		// git rewrites a push URL by pushInsteadOf only where no pushurl is set.
		to := rewrite(config, u, ".pushinsteadof")
		if to == u {
			to = rewrite(config, u, ".insteadof")
		}
		urls = append(urls, to)
	}
	return urls
}

// rewrite replaces the longest prefix that a url.<base><kind> names by its base.
func rewrite(config git.Config, url, kind string) string {
	longest, result := 0, url
	for key, prefixes := range config {
		base, ok := strings.CutPrefix(key, "url.")
		if !ok {
			continue
		}
		if base, ok = strings.CutSuffix(base, kind); !ok {
			continue
		}
		for _, p := range prefixes {
			if p == "" || len(p) < longest || !strings.HasPrefix(url, p) {
				continue
			}
			// Between equals any will do, if it is the same for both directions.
			if to := base + url[len(p):]; len(p) > longest || to < result {
				longest, result = len(p), to
			}
		}
	}
	return result
}

// trackingRef is the ref under refs/remotes/ that the remote's fetch refspecs map ref
// to, "" when there is none. A mirror's refspec maps onto local branches, which nothing
// but their own worktrees may move.
func trackingRef(config git.Config, remote, ref string) string {
	found := ""
	for _, spec := range config["remote."+remote+".fetch"] {
		if negative, ok := strings.CutPrefix(spec, "^"); ok {
			if _, hit := match(negative, ref); hit {
				return ""
			}
			continue
		}
		from, to, ok := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		middle, hit := match(from, ref)
		if !ok || !hit || found != "" {
			continue
		}
		to = strings.Replace(to, "*", middle, 1)
		if strings.HasPrefix(to, "refs/remotes/") {
			found = to
		}
	}
	return found
}

// match is what the pattern's one `*` stands for in ref, and whether it matches.
func match(pattern, ref string) (string, bool) {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return "", pattern == ref
	}
	if len(ref) < len(before)+len(after) || !strings.HasPrefix(ref, before) || !strings.HasSuffix(ref, after) {
		return "", false
	}
	return ref[len(before) : len(ref)-len(after)], true
}
