package git

import (
	"slices"
	"strings"
)

// localVars aim git at one repository, or change what it takes an argument for.
// The first group is what `git rev-parse --local-env-vars` prints.
var localVars = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
	"GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE",
	"GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX",
	"GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR",

	"GIT_NAMESPACE", "GIT_QUARANTINE_PATH",
}

// pathspecVars clash with --literal-pathspecs, or change what git prints; they matter
// to our own calls only.
var pathspecVars = []string{
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
	"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_ATTR_SOURCE", "GIT_OPTIONAL_LOCKS",
}

// LocalVar tells whether the variable is one that aims git at a repository.
func LocalVar(name string) bool {
	if strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") {
		return true
	}
	return slices.Contains(localVars, name)
}

// Scrub is env without the variables that would redirect our calls. Locale
// variables stay: each call decides which locale git gets.
func Scrub(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if LocalVar(name) || slices.Contains(pathspecVars, name) {
			continue
		}
		kept = append(kept, v)
	}
	return kept
}

// lookup is the last value of name in env, "" when it is not set.
func lookup(env []string, name string) string {
	value := ""
	for _, v := range env {
		if n, rest, ok := strings.Cut(v, "="); ok && n == name {
			value = rest
		}
	}
	return value
}
