package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

const (
	scope       = "@cniska/agent-worktree"
	repository  = "https://github.com/cniska/agent-worktree"
	description = "A git worktree for each task, for agents and people"
)

// manifest is a package.json, in the order in which npm prints one.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`
	Bin         map[string]string `json:"bin,omitempty"`
	Files       []string          `json:"files"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Publish     map[string]string `json:"publishConfig"`
}

func (r *maker) manifest(name, about string) manifest {
	return manifest{
		Name: name, Version: r.version, Description: about, License: "MIT", Homepage: repository,
		Repository: map[string]string{"type": "git", "url": "git+" + repository + ".git"},
		Files:      []string{"bin"},
		Publish:    map[string]string{"access": "public"},
	}
}

// npmBuild makes a platform's npm package. It names no bin of its own: the shim's
// would be in its way.
func (r *maker) npmBuild(t tree) error {
	m := r.manifest(scope+"-"+t.platform.npm(), description+": the build for "+t.platform.npm())
	m.OS, m.CPU = []string{t.platform.OS}, []string{t.platform.cpu()}
	dir := filepath.Join(r.out, "npm", "agent-worktree-"+t.platform.npm())
	for _, tool := range t.tools {
		if err := copyFile(filepath.Join(t.dir, "bin", tool), filepath.Join(dir, "bin", tool), 0o755); err != nil {
			return err
		}
	}
	return r.npmPack(dir, m)
}

// npmShim makes the package that people install. Every tool's name leads to the
// one shim, which tells them apart by the name it is called by; each platform's
// build is an optional dependency at this very version.
func (r *maker) npmShim() error {
	m := r.manifest(scope, description)
	m.Bin, m.Optional = map[string]string{}, map[string]string{}
	for _, t := range r.trees {
		m.Optional[scope+"-"+t.platform.npm()] = r.version
		for _, tool := range t.tools {
			m.Bin[tool] = "bin/agent-worktree"
		}
	}
	dir := filepath.Join(r.out, "npm", "agent-worktree")
	if err := copyFile("packaging/npm/shim.sh", filepath.Join(dir, "bin", "agent-worktree"), 0o755); err != nil {
		return err
	}
	return r.npmPack(dir, m)
}

// npmPack finishes the package in dir and packs it as npm does, into a tarball
// beside dir.
func (r *maker) npmPack(dir string, m manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "package.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "README.md"} {
		err := copyFile(name, filepath.Join(dir, name), 0o644)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	_, err = pack(dir+"-"+r.version+".tgz", "package", dir)
	return err
}
