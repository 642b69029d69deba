package store

import (
	"path"
	"strings"
)

// Compact writes a set of paths shortly: a directory with a slash at its end stands for
// all the files that whole has below it, and "./" for all there are. Both lists are of
// files, parted by slashes.
func Compact(set, whole []string) []string {
	in, all := map[string]int{}, map[string]int{}
	count(in, set)
	count(all, whole)
	var list []string
	seen := map[string]bool{}
	for _, file := range set {
		short := file
		for dir := path.Dir(file); in[dir] == all[dir]; dir = path.Dir(dir) {
			short = dir + "/"
			if dir == "." {
				break
			}
		}
		if !seen[short] {
			seen[short] = true
			list = append(list, short)
		}
	}
	return list
}

// count adds to n, for every directory, how many of the files are below it.
func count(n map[string]int, files []string) {
	for _, file := range files {
		for dir := path.Dir(file); ; dir = path.Dir(dir) {
			n[dir]++
			if dir == "." {
				break
			}
		}
	}
}

// Within tells whether a file is one of those that a list made by Compact stands for.
func Within(list []string) func(file string) bool {
	set := map[string]bool{}
	for _, entry := range list {
		set[entry] = true
	}
	return func(file string) bool {
		if len(set) == 0 || set[file] || set["./"] {
			return len(set) > 0
		}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if set[dir+"/"] {
				return true
			}
		}
		return false
	}
}

// Below tells whether a path is dir or lies in it.
func Below(dir, file string) bool { return file == dir || strings.HasPrefix(file, dir+"/") }
