package git

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Config is the part of the configuration that the verbs ask for, read in one
// call. Keys are as git prints them: section and name in lower case, the
// subsection as written.
type Config map[string][]string

// Config reads branch.*, remote.*, core.* and agent-worktree.*.
func (r *Repo) Config(ctx context.Context) (Config, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, OK: []int{1},
		Args: Quiet("config", "--includes", "-z", "--get-regexp", `^(branch|remote|core|agent-worktree|url|extensions)\.`)})
	if err != nil {
		return nil, err
	}
	return parseConfig(string(answer.Stdout)), nil
}

func parseConfig(out string) Config {
	c := Config{}
	for _, record := range strings.Split(out, "\x00") {
		if record == "" {
			continue
		}
		key, value, ok := strings.Cut(record, "\n")
		if !ok {
			value = "true" // a key with no value at all
		}
		c[key] = append(c[key], value)
	}
	return c
}

// Get is the key's last value, "" when it is not set.
func (c Config) Get(key string) string {
	values := c[key]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// Has tells whether any key begins with prefix.
func (c Config) Has(prefix string) bool {
	for key := range c {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// Bool reads a git boolean; ok is false when the value is none.
func Bool(value string) (yes, ok bool) {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "":
		return false, true
	}
	n, err := strconv.Atoi(value)
	return n != 0, err == nil
}

// MentionsBranch tells whether the clone's own configuration file has settings of the
// branch. It looks for the section in the file, in no process: nearly always there is none.
func (r *Repo) MentionsBranch(branch string) bool { return len(r.mentions("branch", branch)) > 0 }

// MentionsRemote is MentionsBranch for a remote.
func (r *Repo) MentionsRemote(name string) bool { return len(r.mentions("remote", name)) > 0 }

// mentions are those of the names that the file has a section of.
func (r *Repo) mentions(section string, names ...string) []string {
	data, err := os.ReadFile(r.configFile())
	if err != nil {
		return nil
	}
	return mentioned(string(data), section, names)
}

func (r *Repo) configFile() string { return filepath.Join(r.Common, "config") }

// RestoreBranch writes back the settings of a branch that came back.
func (r *Repo) RestoreBranch(ctx context.Context, settings []string) error {
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		if _, err := r.Run(ctx, Call{Dir: r.Primary, Args: Quiet("config", "--local", "--add", key, value)}); err != nil {
			return err
		}
	}
	return nil
}

// Any tells whether a key satisfies test.
func (c Config) Any(test func(key string) bool) bool {
	for key := range c {
		if test(key) {
			return true
		}
	}
	return false
}
