# Every target needs go and git; check also fetches staticcheck through the Go proxy.
OUT = bin
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
TOOLS = agent-worktree $(notdir $(wildcard cmd/aw-*))
GO = go
BUILD = CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w"
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test check install uninstall bench fault soak docs clean

build:
	@mkdir -p $(OUT)
	$(BUILD) -o $(OUT)/ $(addprefix ./cmd/,$(TOOLS))

test:
	$(GO) test ./...

check:
	@test -z "$$(gofmt -l cmd lib tests)" || { echo "not formatted:"; gofmt -l cmd lib tests; exit 1; }
	$(GO) mod tidy -diff
	for os in linux darwin windows; do GOOS=$$os $(GO) vet ./... || exit 1; done
	$(STATICCHECK) ./...
	$(GO) test -race ./lib/...
	$(GO) test ./...

install: build
	install -d $(DESTDIR)$(BINDIR)
	install -m 0755 $(addprefix $(OUT)/,$(TOOLS)) $(DESTDIR)$(BINDIR)/

uninstall:
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(TOOLS))

bench:
	$(GO) run ./tests/bench

fault:
	AW_FAULT=full $(GO) test -count=1 -timeout 60m -run TestFault ./tests

soak:
	AW_SOAK=full $(GO) test -count=1 -timeout 60m -run TestSoak ./tests

docs:
	$(GO) test -count=1 -run TestDocs ./tests -update

clean:
	rm -rf $(OUT) dist
