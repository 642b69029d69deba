package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/cniska/agent-worktree/lib/verbs"
)

// installer copies the script that the curl line runs.
func (r *maker) installer() error {
	return copyFile("packaging/install.sh", filepath.Join(r.out, "install.sh"), 0o755)
}

// sources is what the tools, their manual pages and completions are made from.
var sources = []string{"LICENSE", "README.md", "cmd", "go.mod", "go.sum", "lib", "packaging"}

// formula packs the sources and fills in the Homebrew formula, which builds from them.
func (r *maker) formula() error {
	const name = "agent-worktree-source.tar.gz"
	sum, err := pack(filepath.Join(r.out, name), "agent-worktree", ".", sources...)
	if err != nil {
		return err
	}
	data := map[string]any{"Version": r.version, "Archive": name, "Sum": sum}
	return r.fill("packaging/homebrew/agent-worktree.rb.tmpl", "homebrew/agent-worktree.rb", data)
}

// distribution is what nfpm is told of one package.
type distribution struct {
	Name, Summary, Version, Arch string
	Tree                         string // the directory with bin and share, from the checkout's top
	Tools                        []string
	Parts                        []string // for the package of all: the packages it stands for
	Whole                        string   // for the package of one tool: the one that has it too
}

// nfpm writes a configuration for the package of every tool alone and for the
// one of all. The dispatcher's own is named for what it is, since the package of
// all has the program's name.
func (r *maker) nfpm() error {
	for _, t := range r.trees {
		if t.platform.OS != "linux" {
			continue
		}
		all := r.distribution(t, "agent-worktree", description, t.tools)
		for _, tool := range t.tools {
			one := r.distribution(t, packageOf(tool), summaryOf(tool), []string{tool})
			one.Whole = all.Name
			all.Parts = append(all.Parts, one.Name)
			if err := r.configuration(t, one); err != nil {
				return err
			}
		}
		if err := r.configuration(t, all); err != nil {
			return err
		}
	}
	return nil
}

func (r *maker) distribution(t tree, name, summary string, tools []string) distribution {
	return distribution{
		Name: name, Summary: summary, Version: r.version, Arch: t.platform.Arch,
		Tree: filepath.ToSlash(t.dir), Tools: tools,
	}
}

func (r *maker) configuration(t tree, d distribution) error {
	to := fmt.Sprintf("nfpm/%s-%s.yaml", d.Name, t.platform.Arch)
	return r.fill("packaging/nfpm/package.yaml.tmpl", to, d)
}

func packageOf(tool string) string {
	if tool == "agent-worktree" {
		return "agent-worktree-dispatcher"
	}
	return tool
}

func summaryOf(tool string) string {
	if verb, ok := verbs.Find(strings.TrimPrefix(tool, "aw-")); ok && verb.Binary == tool {
		return verb.Summary
	}
	if tool == "aw-latest" {
		return "ask the install channel for the newest version"
	}
	return "run agent-worktree's tools by their verb"
}

// fill executes a template of the checkout into a file of the release.
func (r *maker) fill(from, to string, data any) error {
	parsed, err := template.New(filepath.Base(from)).Option("missingkey=zero").ParseFiles(from)
	if err != nil {
		return err
	}
	text := bytes.Buffer{}
	if err := parsed.Execute(&text, data); err != nil {
		return err
	}
	return writeFile(filepath.Join(r.out, to), text.Bytes(), 0o644)
}
