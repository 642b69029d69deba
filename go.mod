module github.com/cniska/agent-worktree

go 1.26.0

require (
	github.com/peterbourgon/ff/v4 v4.0.0-beta.1
	github.com/toon-format/toon-go v0.0.0-20251202084852-7ca0e27c4e8c
	golang.org/x/sync v0.25.0
)

require (
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)

// Test dependencies.
require github.com/rogpeppe/go-internal v1.16.0
