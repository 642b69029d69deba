package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	released "github.com/cniska/agent-worktree/lib/release"
)

const nfpmModule = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// TestPackages makes the packages for distributions and installs one, where
// AW_PACKAGES=full asks for it: nfpm is fetched, and takes a while to build.
func TestPackages(t *testing.T) {
	if os.Getenv("AW_PACKAGES") != "full" || runtime.GOOS != "linux" {
		t.Skip("AW_PACKAGES=full makes packages with nfpm, on Linux")
	}
	nfpm := installNFPM(t)
	dir, err := releasedOnce()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	configs, _ := filepath.Glob(filepath.Join(dir, "dist", "nfpm", "*.yaml"))
	if want := len(strings.Fields(toolNamesOrFail(t))) + 1; len(configs) != want {
		t.Errorf("%d configurations; want one for each tool and one for all, %d", len(configs), want)
	}
	for _, config := range configs {
		for _, format := range []string{"deb", "rpm", "apk", "archlinux"} {
			pack := exec.Command(nfpm, "package", "-f", config, "-p", format, "-t", out+"/")
			pack.Dir = dir
			if text, err := pack.CombinedOutput(); err != nil {
				t.Errorf("%s of %s: %v\n%s", format, filepath.Base(config), err, text)
			}
		}
	}
	t.Run("alone", func(t *testing.T) { installAlone(t, deb(t, out, "aw-ls")) })
	t.Run("all", func(t *testing.T) { installAll(t, deb(t, out, "agent-worktree"), deb(t, out, "aw-ls")) })
}

// installNFPM builds the pinned nfpm, or skips the test where it cannot be had.
func installNFPM(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	install := exec.Command("go", "install", nfpmModule)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if text, err := install.CombinedOutput(); err != nil {
		t.Skipf("nfpm cannot be had: %v\n%s", err, text)
	}
	return filepath.Join(bin, "nfpm")
}

func toolNamesOrFail(t *testing.T) string {
	t.Helper()
	list, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	return toolNames(list)
}

func deb(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, fmt.Sprintf("%s_%s-1_%s.deb", name, released.Version(), runtime.GOARCH))
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// emptyRoot is a directory with dpkg's own files and no package.
func emptyRoot(t *testing.T) (root string, dpkg func(args ...string) (string, error)) {
	t.Helper()
	if _, err := exec.LookPath("dpkg"); err != nil || os.Geteuid() != 0 {
		t.Skip("needs dpkg, and root")
	}
	root = t.TempDir()
	for _, dir := range []string{"info", "updates"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return root, func(args ...string) (string, error) {
		text, err := exec.Command("dpkg", append([]string{"--root=" + root, "--force-depends"}, args...)...).CombinedOutput()
		return string(text), err
	}
}

// installAlone installs one tool's package on an empty root and runs the tool.
func installAlone(t *testing.T, path string) {
	root, dpkg := emptyRoot(t)
	if text, err := dpkg("-i", path); err != nil {
		t.Fatalf("dpkg -i: %v\n%s", err, text)
	}
	tools, _ := filepath.Glob(filepath.Join(root, "usr/bin/*"))
	if len(tools) != 1 {
		t.Fatalf("installed %v; want aw-ls alone", tools)
	}
	for _, file := range []string{"usr/share/man/man1/aw-ls.1", "usr/share/bash-completion/completions/aw-ls", "usr/share/doc/aw-ls/copyright"} {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Error(err)
		}
	}
	repository := t.TempDir()
	if text, err := exec.Command("git", "init", "-q", repository).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, text)
	}
	run := exec.Command(tools[0], "--json")
	run.Dir = repository
	run.Env = append(os.Environ(), "HOME="+root, "XDG_DATA_HOME="+filepath.Join(root, "data"))
	text, err := run.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(text), `{"command":"ls","ok":true,`) {
		t.Errorf("aw-ls: %v\n%s", err, text)
	}
	if text, err := dpkg("-r", "aw-ls"); err != nil {
		t.Errorf("dpkg -r: %v\n%s", err, text)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "usr/bin/*")); len(left) > 0 {
		t.Errorf("removed, and %v is left", left)
	}
}

// installAll installs the package of all, which takes the single one's place.
func installAll(t *testing.T, all, one string) {
	root, dpkg := emptyRoot(t)
	for _, args := range [][]string{{"-i", one}, {"--auto-deconfigure", "-i", all}} {
		if text, err := dpkg(args...); err != nil {
			t.Fatalf("dpkg %v: %v\n%s", args, err, text)
		}
	}
	run := exec.Command(filepath.Join(root, "usr/bin/agent-worktree"), "--version")
	if text, err := run.Output(); err != nil || string(text) != released.Version()+"\n" {
		t.Errorf("agent-worktree --version: %v, %q", err, text)
	}
	if text, err := dpkg("-i", one); err == nil {
		t.Errorf("aw-ls went in beside the package of all\n%s", text)
	}
}
