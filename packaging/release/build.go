package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// platform is one that Go builds for, in its words.
type platform struct{ OS, Arch string }

func parsePlatform(name string) (platform, error) {
	system, arch, ok := strings.Cut(name, "/")
	if !ok {
		return platform{}, fmt.Errorf("platform %q is not os/arch", name)
	}
	return platform{system, arch}, nil
}

// npm is the platform as npm and its packages spell it.
func (p platform) npm() string { return p.OS + "-" + p.cpu() }
func (p platform) cpu() string { return strings.Replace(p.Arch, "amd64", "x64", 1) }

// tree is a platform's files as they lie below a prefix.
type tree struct {
	platform platform
	dir      string   // bin and share are in it
	tools    []string // the names in bin
}

// platform builds the tools for p and packs them.
func (r *maker) platform(p platform) error {
	t, err := r.tree(p)
	if err != nil {
		return err
	}
	r.trees = append(r.trees, t)
	name := fmt.Sprintf("agent-worktree-%s-%s.tar.gz", p.OS, p.Arch)
	sum, err := pack(filepath.Join(r.out, name), "agent-worktree", t.dir)
	if err != nil {
		return err
	}
	line := sum + "  " + name + "\n"
	if err := os.WriteFile(filepath.Join(r.out, name+".sha256"), []byte(line), 0o644); err != nil {
		return err
	}
	return r.npmBuild(t)
}

// tree lays a platform's files out.
func (r *maker) tree(p platform) (tree, error) {
	t := tree{platform: p, dir: filepath.Join(r.out, "tree", p.OS+"-"+p.Arch)}
	if err := build(p, filepath.Join(t.dir, "bin")); err != nil {
		return t, err
	}
	entries, err := os.ReadDir(filepath.Join(t.dir, "bin"))
	if err != nil {
		return t, err
	}
	for _, entry := range entries {
		t.tools = append(t.tools, entry.Name())
	}
	return t, t.documents()
}

// documents adds what goes with the tools.
func (t tree) documents() error {
	files := map[string]string{
		"LICENSE": "LICENSE",
		"packaging/completions/agent-worktree.bash": "share/bash-completion/completions/agent-worktree",
		"packaging/completions/agent-worktree.zsh":  "share/zsh/site-functions/_agent-worktree",
		"packaging/completions/agent-worktree.fish": "share/fish/vendor_completions.d/agent-worktree.fish",
	}
	for _, tool := range t.tools {
		files["packaging/man/"+tool+".1"] = "share/man/man1/" + tool + ".1"
	}
	for from, to := range files {
		if err := copyFile(from, filepath.Join(t.dir, to), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// build compiles every tool into dir. The settings that would change the bytes
// are set here, whatever the caller's are.
func build(p platform, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	compile := exec.Command("go", "build", "-tags", "purego", "-trimpath", "-buildvcs=false", "-gcflags=all=-l", "-ldflags", "-s -w",
		"-o", dir+string(filepath.Separator), "./cmd/...")
	compile.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch,
		"GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off")
	compile.Stderr = os.Stderr
	return compile.Run()
}

func copyFile(from, to string, mode os.FileMode) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, text, mode)
}

// writeFile writes a file and the directories above it.
func writeFile(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode) // whatever the umask
}
