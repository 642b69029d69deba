package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cniska/agent-worktree/lib/release"
)

// variables is a getenv over a map.
func variables(values map[string]string) func(string) string {
	return func(key string) string { return values[key] }
}

func TestAddresses(t *testing.T) {
	home := t.TempDir()
	at := addressesOf(variables(map[string]string{"HOME": home}))
	if want := "https://github.com/cniska/agent-worktree/releases/latest"; at.release != want {
		t.Errorf("release = %q; want %q", at.release, want)
	}
	if want := "https://raw.githubusercontent.com/cniska/homebrew-tap/HEAD/Formula/agent-worktree.rb"; at.formula != want {
		t.Errorf("formula = %q; want %q", at.formula, want)
	}
	if !strings.HasPrefix(at.npm, "https://") || !strings.HasSuffix(at.npm, "/@cniska/agent-worktree/latest") {
		t.Errorf("npm = %q; want the registry's latest", at.npm)
	}
	at = addressesOf(variables(map[string]string{"HOME": home, "AGENT_WORKTREE_RELEASES": "http://127.0.0.1:8/"}))
	for _, address := range []string{at.release, at.formula, at.npm} {
		if !strings.HasPrefix(address, "http://127.0.0.1:8/") || strings.Contains(address[7:], "//") {
			t.Errorf("moved address %q; want it at http://127.0.0.1:8/", address)
		}
	}
}

func TestRegistry(t *testing.T) {
	const ours = "https://npm.example.com/here"
	tests := []struct{ variable, npmrc, want string }{
		{ours + "/", "", ours},
		{"", "registry=" + ours + "\n", ours},
		{"", "# mine\n registry = \"" + ours + "/\"\n//npm.example.com/:_authToken=secret\n", ours},
		{"", "registry=https://other.example.com\n@cniska:registry=" + ours, ours},
		{ours, "registry=https://other.example.com", ours},
	}
	for _, test := range tests {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, ".npmrc"), []byte(test.npmrc), 0o600); err != nil {
			t.Fatal(err)
		}
		got := registry(variables(map[string]string{"HOME": home, "npm_config_registry": test.variable}))
		if got != test.want {
			t.Errorf("registry with %q and %q = %q; want %q", test.variable, test.npmrc, got, test.want)
		}
	}
	if got := registry(variables(map[string]string{"HOME": t.TempDir(), "npm_config_registry": "${ELSEWHERE}"})); !strings.HasPrefix(got, "https://registry.") {
		t.Errorf("registry that is no address = %q; want the public one", got)
	}
}

// TestAsk answers each channel's question in ways that name a version and ways
// that do not.
func TestAsk(t *testing.T) {
	tests := []struct {
		channel      release.Channel
		status       int
		answer, want string
	}{
		{release.NPM, 200, `{"version":"1.2.3"}`, "1.2.3"},
		{release.Bun, 200, `{"version":"1.2.3"}`, "1.2.3"},
		{release.NPM, 200, `{"version":"1.2.3-rc.1"}`, ""},
		{release.NPM, 200, `{"version":7}`, ""},
		{release.NPM, 404, `{"version":"1.2.3"}`, ""},
		{release.NPM, 200, ``, ""},
		{release.Homebrew, 200, "  url \"https://h/cniska/agent-worktree/releases/download/v1.2.3/a.tar.gz\"\n", "1.2.3"},
		{release.Homebrew, 200, "# url \"https://h/releases/download/v1.2.3/a.tar.gz\"\n", ""},
		{release.Curl, 302, "/cniska/agent-worktree/releases/tag/v1.2.3", "1.2.3"},
		{release.Curl, 302, "/cniska/agent-worktree/releases/tag/nightly", ""},
		{release.Curl, 200, "", ""},
		{"", 200, `{"version":"1.2.3"}`, ""},
	}
	for _, test := range tests {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if test.status == 302 && strings.HasSuffix(r.URL.Path, "/latest") {
				http.Redirect(w, r, test.answer, test.status)
				return
			}
			w.WriteHeader(test.status)
			w.Write([]byte(test.answer))
		}))
		at := addressesOf(variables(map[string]string{"AGENT_WORKTREE_RELEASES": server.URL}))
		if got := ask(context.Background(), at, test.channel); got != test.want {
			t.Errorf("ask(%s) given %d %q = %q; want %q", test.channel, test.status, test.answer, got, test.want)
		}
		server.Close()
	}
}

// TestAskGivesUp asks a server that says nothing.
func TestAskGivesUp(t *testing.T) {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer server.Close()
	defer close(stop)
	at := addressesOf(variables(map[string]string{"AGENT_WORKTREE_RELEASES": server.URL}))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if got := ask(ctx, at, release.Curl); got != "" {
		t.Errorf("ask = %q; want nothing", got)
	}
	if patience != time.Second {
		t.Errorf("patience is %v; want one second", patience)
	}
}
