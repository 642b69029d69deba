package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// What is written stands between these lines; the rest of the file is nobody's but its
// author's.
const (
	begins = "<!-- bench: begin -->\n"
	ends   = "<!-- bench: end -->\n"
)

// marked tells whether a file has a part for the tables.
func marked(path string) bool {
	text, _ := os.ReadFile(path)
	_, rest, ok := strings.Cut(string(text), begins)
	return ok && strings.Contains(rest, ends)
}

// writeMarkdown puts the tables between the file's marks, or makes a file of them.
func writeMarkdown(path, machine string, tables []table) error {
	var out strings.Builder
	fmt.Fprintf(&out, "\n%s\n", machine)
	for _, t := range tables {
		t.markdown(&out)
	}
	before, after := "", ""
	if marked(path) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rest := ""
		before, rest, _ = strings.Cut(string(text), begins)
		_, after, _ = strings.Cut(rest, ends)
	}
	return os.WriteFile(path, []byte(before+begins+out.String()+"\n"+ends+after), 0o644)
}

// markdown writes the table below a heading.
func (t table) markdown(out *strings.Builder) {
	fmt.Fprintf(out, "\n### %s\n\n", t.title)
	for i, line := range t.cells() {
		for len(line) < len(t.columns) {
			line = append(line, "")
		}
		for n, cell := range line {
			if cell == missed {
				line[n] = "**no**"
			}
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintf(out, "| --- |%s\n", strings.Repeat(" ---: |", len(line)-1))
		}
	}
}

// machine is the line that says what the numbers were measured on.
func (b *bench) machine() string {
	said := func(name string, args ...string) string {
		out, _ := exec.Command(name, args...).Output()
		return strings.TrimSpace(string(out))
	}
	dirty := ""
	if said("git", "status", "--porcelain", "--untracked-files=no", "--", "cmd", "lib", "go.mod", "Makefile") != "" {
		dirty = " with changes"
	}
	return fmt.Sprintf("%s, commit %s%s: %s, %d cores, %s, %s, %s; scratch on %s; %d runs, short commands %d.",
		time.Now().Format(time.DateOnly), said("git", "rev-parse", "--short", "HEAD"), dirty,
		processor(), runtime.NumCPU(), said("uname", "-sr"), said("git", "--version"), runtime.Version(),
		fileSystem(b.scratch), b.runs, 10*b.runs)
}
