package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"time"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/release"
)

const (
	// patience is for the whole question, from looking a name up on.
	patience = time.Second
	// most is how much of an answer is read; the longest is a formula.
	most = 1 << 18
)

// Where the version stands in what a channel answers.
var (
	inTag     = regexp.MustCompile(`/releases/tag/v(\d+\.\d+\.\d+)$`)
	inFormula = regexp.MustCompile(`(?m)^\s*url ".*/releases/download/v(\d+\.\d+\.\d+)/`)
	whole     = regexp.MustCompile(`^(\d+\.\d+\.\d+)$`)
)

// latest asks, and records first that it does.
func latest() cli.Answer {
	nothing := cli.Answer{Silent: true, Status: 1}
	install, ok := release.Find(cli.Variable)
	if !ok || install.Begin() != nil {
		return nothing
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	version := ask(ctx, addressesOf(cli.Variable), install.Channel)
	if version == "" || install.Answer(version) != nil {
		return nothing
	}
	return cli.Answer{Line: version}
}

// ask returns the newest version the channel serves, or "".
func ask(ctx context.Context, at addresses, channel release.Channel) string {
	switch channel {
	case release.Homebrew:
		return first(inFormula, get(ctx, at.formula))
	case release.NPM, release.Bun:
		manifest := struct{ Version string }{}
		if json.Unmarshal([]byte(get(ctx, at.npm)), &manifest) != nil {
			return ""
		}
		return first(whole, manifest.Version)
	case release.Curl:
		return first(inTag, target(ctx, at.release))
	}
	return ""
}

func first(pattern *regexp.Regexp, text string) string {
	if m := pattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// get returns what stands at the address, or "".
func get(ctx context.Context, address string) string {
	response := send(ctx, http.DefaultClient, http.MethodGet, address)
	if response == nil {
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil || response.StatusCode != http.StatusOK {
		return ""
	}
	return string(text)
}

// target returns where the address leads to, without going there once it names
// a release: the page itself is of no use. "" when it leads nowhere.
func target(ctx context.Context, address string) string {
	found := ""
	client := &http.Client{CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if found = next.URL.Path; inTag.MatchString(found) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	if response := send(ctx, client, http.MethodHead, address); response != nil {
		response.Body.Close()
	}
	return found
}

func send(ctx context.Context, client *http.Client, method, address string) *http.Response {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil
	}
	request.Header.Set("User-Agent", "agent-worktree/"+release.Version())
	response, err := client.Do(request)
	if err != nil {
		return nil
	}
	return response
}
