# Every target needs go and git; check also fetches staticcheck through the Go proxy.
OUT = bin
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man/man1
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
TOOLS = agent-worktree $(notdir $(wildcard cmd/aw-*))
GO = go
# Without inlining, and without the assembly of hashes that little is hashed with, the
# tools are smaller and no slower to be felt.
BUILD = CGO_ENABLED=0 $(GO) build -buildvcs=false -tags purego -trimpath -gcflags=all=-l -ldflags "-s -w"
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test check install uninstall bench fault soak docs dist release packages clean

build:
	@mkdir -p $(OUT)
	$(BUILD) -o $(OUT)/ $(addprefix ./cmd/,$(TOOLS))

test:
	$(GO) test ./...

check:
	@test -z "$$(gofmt -l cmd lib packaging tests)" || { echo "not formatted:"; gofmt -l cmd lib packaging tests; exit 1; }
	$(GO) mod tidy -diff
	for os in linux darwin windows; do GOOS=$$os $(GO) vet ./... || exit 1; done
	$(STATICCHECK) ./...
	$(GO) test -race ./lib/...
	$(GO) test ./...

# PREFIX may hold blanks: each place is quoted.
install: build
	for dir in "$(BINDIR)" "$(MANDIR)" "$(BASHDIR)" "$(ZSHDIR)" "$(FISHDIR)"; do install -d "$(DESTDIR)$$dir" || exit 1; done
	install -m 0755 $(addprefix $(OUT)/,$(TOOLS)) "$(DESTDIR)$(BINDIR)/"
	install -m 0644 $(wildcard $(addprefix packaging/man/,$(addsuffix .1,$(TOOLS)))) "$(DESTDIR)$(MANDIR)/"
	install -m 0644 packaging/completions/agent-worktree.bash "$(DESTDIR)$(BASHDIR)/agent-worktree"
	install -m 0644 packaging/completions/agent-worktree.zsh "$(DESTDIR)$(ZSHDIR)/_agent-worktree"
	install -m 0644 packaging/completions/agent-worktree.fish "$(DESTDIR)$(FISHDIR)/"

uninstall:
	for tool in $(TOOLS); do rm -f "$(DESTDIR)$(BINDIR)/$$tool" "$(DESTDIR)$(MANDIR)/$$tool.1" || exit 1; done
	rm -f "$(DESTDIR)$(BASHDIR)/agent-worktree" "$(DESTDIR)$(ZSHDIR)/_agent-worktree" "$(DESTDIR)$(FISHDIR)/agent-worktree.fish"

# BENCH chooses: BENCH="-runs 1 path" runs one row once and writes nothing.
BENCH = -md docs/performance.md
bench:
	$(GO) run ./tests/bench $(BENCH)

fault:
	AW_FAULT=full $(GO) test -v -count=1 -timeout 60m -run TestFault ./tests

soak:
	AW_SOAK=full $(GO) test -v -count=1 -timeout 60m -run TestSoak ./tests

docs:
	$(GO) test -count=1 -run TestDocs ./tests -update

# This platform's part of a release, to try.
dist:
	$(GO) run ./packaging/release -out dist -platforms "$$($(GO) env GOOS)/$$($(GO) env GOARCH)"

# All that is published; it stops when this commit has a release tag that is not
# lib/release/VERSION's.
TAGS = $(shell git tag --points-at HEAD --list 'v[0-9]*')
release:
	$(GO) run ./packaging/release -out dist -tags "$(TAGS)"

# deb, rpm, apk and archlinux packages of the release in dist.
NFPM = $(GO) run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2
packages:
	@mkdir -p dist/packages
	for config in dist/nfpm/*.yaml; do \
		for format in deb rpm apk archlinux; do \
			$(NFPM) package -f $$config -p $$format -t dist/packages/ || exit 1; \
		done; \
	done

clean:
	rm -rf $(OUT) dist
