package tests

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	released "github.com/cniska/agent-worktree/lib/release"
)

const plugin = "../plugin"

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// A schema is what a client knows of a JSON object's members: a name, and a value of the
// type it must have. A name with ! behind it is required. A member no client knows is a
// warning there, which --strict makes an error, and one of the wrong type keeps the whole
// plugin from loading.
type schema map[string]any

var (
	text   = ""
	person = schema{"name!": text, "email": text, "url": text}

	marketplaceSchema = schema{
		"name!": text, "owner!": person, "description": text, "version": text,
		"plugins!": []any{schema{"name!": text, "source!": text, "description": text, "version": text, "category": text}},
	}
	pluginSchema = schema{
		"name!": text, "version": text, "description": text, "author": person,
		"homepage": text, "repository": text, "license": text, "keywords": []any{text},
	}
	commandSchema = schema{"type!": text, "command!": text, "timeout": 1.0, "statusMessage": text}
	worktreeHooks = []any{schema{"hooks!": []any{commandSchema}}}
	hooksSchema   = schema{"description": text, "hooks!": schema{
		"WorktreeCreate!": worktreeHooks,
		"WorktreeRemove!": worktreeHooks,
		"SessionStart!":   []any{schema{"matcher!": text, "hooks!": []any{commandSchema}}},
	}}
)

// check holds a value to a schema, an example of its type, or a list of either.
func check(t *testing.T, at string, value, want any) {
	t.Helper()
	switch want := want.(type) {
	case schema:
		object, ok := value.(map[string]any)
		if !ok {
			t.Errorf("%s is no object", at)
			return
		}
		checkObject(t, at, object, want)
	case []any:
		list, ok := value.([]any)
		if !ok || len(list) == 0 {
			t.Errorf("%s is no list with anything in it", at)
		}
		for _, item := range list {
			check(t, at+"[]", item, want[0])
		}
	default:
		if reflect.TypeOf(value) != reflect.TypeOf(want) || value == text {
			t.Errorf("%s is %v; want a %T", at, value, want)
		}
	}
}

func checkObject(t *testing.T, at string, object map[string]any, want schema) {
	t.Helper()
	for name, kind := range want {
		plain := strings.TrimSuffix(name, "!")
		if value, ok := object[plain]; ok {
			check(t, at+"."+plain, value, kind)
		} else if plain != name {
			t.Errorf("%s has no %s", at, plain)
		}
	}
	for name := range object {
		if want[name] == nil && want[name+"!"] == nil {
			t.Errorf("%s has %s, which no client knows there", at, name)
		}
	}
}

// manifest reads a JSON file and holds it to a schema.
func manifest(t *testing.T, path string, want schema, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	check(t, filepath.Base(path), value, want)
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestMarketplace: the repository is a marketplace of its own, whose one plugin is here.
func TestMarketplace(t *testing.T) {
	var market struct {
		Name    string
		Plugins []struct{ Name, Source string }
	}
	manifest(t, "../.claude-plugin/marketplace.json", marketplaceSchema, &market)
	if !kebab.MatchString(market.Name) || strings.HasPrefix(market.Name, "claude-") {
		t.Errorf("marketplace %q; want a name in kebab case that is not reserved", market.Name)
	}
	if len(market.Plugins) != 1 || market.Plugins[0].Name != "cniska-worktree" || market.Plugins[0].Source != plugin[1:] {
		t.Errorf("plugins %v; want cniska-worktree from %s", market.Plugins, plugin[1:])
	}
}

func TestPluginManifest(t *testing.T) {
	var p struct{ Name, Version string }
	manifest(t, plugin+"/.claude-plugin/plugin.json", pluginSchema, &p)
	if p.Name != "cniska-worktree" || !kebab.MatchString(p.Name) {
		t.Errorf("name %q; want cniska-worktree", p.Name)
	}
	if p.Version != released.Version() {
		t.Errorf("version %q; want the release's, %q, or users do not get the update", p.Version, released.Version())
	}
}

type pluginHooks struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, Command string
			Timeout       int
		}
	}
}

// TestPluginHooks: the worktree events run the tool and nothing else, with time for a
// long setup, and the session's note has its files inside the plugin.
func TestPluginHooks(t *testing.T) {
	var h pluginHooks
	manifest(t, plugin+"/hooks/hooks.json", hooksSchema, &h)
	inside := regexp.MustCompile(`"?\$\{CLAUDE_PLUGIN_ROOT\}/([^" ]+)"?`)
	for event, groups := range h.Hooks {
		for _, group := range groups {
			for _, hook := range group.Hooks {
				if hook.Type != "command" {
					t.Errorf("%s is of type %s; want command", event, hook.Type)
				}
				if event != "SessionStart" && (hook.Command != "agent-worktree hook" || hook.Timeout < 900) {
					t.Errorf("%s runs %q for %d s; want the tool alone, and time for it", event, hook.Command, hook.Timeout)
				}
				for _, file := range inside.FindAllStringSubmatch(hook.Command, -1) {
					if !strings.HasPrefix(file[0], `"`) || !strings.HasSuffix(file[0], `"`) {
						t.Errorf("%s: %s is not in double quotes", event, file[0])
					}
					if info, err := os.Stat(filepath.Join(plugin, file[1])); err != nil || !info.Mode().IsRegular() {
						t.Errorf("%s: %s is no file of the plugin", event, file[1])
					}
				}
			}
		}
	}
	start := h.Hooks["SessionStart"]
	if len(start) != 1 || start[0].Matcher != "startup|resume|clear|compact|fork" || !strings.Contains(start[0].Hooks[0].Command, "session-note.md") {
		t.Errorf("SessionStart %+v; want the note on every way a session starts", start)
	}
}

// TestPluginFiles: what is installed is a copy of the plugin's directory alone, so it has
// no link and refers to nothing outside.
func TestPluginFiles(t *testing.T) {
	var found []string
	err := filepath.WalkDir(plugin, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			t.Errorf("%s is no regular file", path)
			return nil
		}
		found = append(found, filepath.ToSlash(strings.TrimPrefix(path, plugin+string(filepath.Separator))))
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "../") {
			t.Errorf("%s refers to what does not come along", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".claude-plugin/plugin.json", "README.md", "hooks/hooks.json", "session-note.md", "skills/task-worktree/SKILL.md"}
	if !slices.Equal(found, want) {
		t.Errorf("files %v; want %v", found, want)
	}
}

// TestSessionNote: plain text that the client adds whole rather than takes for JSON.
func TestSessionNote(t *testing.T) {
	data, err := os.ReadFile(plugin + "/session-note.md")
	if err != nil {
		t.Fatal(err)
	}
	note := string(data)
	if len(note) > 2000 || strings.HasPrefix(strings.TrimSpace(note), "{") || !strings.HasSuffix(note, "\n") {
		t.Errorf("%d bytes from %.10q; want a short text that ends its last line", len(note), note)
	}
	for _, word := range []string{"agent-worktree create", "agent-worktree remove", "restore", "resolve", "EnterWorktree", "wherever you stand"} {
		if !strings.Contains(note, word) {
			t.Errorf("the note does not say %q", word)
		}
	}
}

func TestSkill(t *testing.T) {
	data, err := os.ReadFile(plugin + "/skills/task-worktree/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`\A---\nname: task-worktree\ndescription: [^\n:]{40,1000}\n---\n\n# `)
	if !head.Match(data) {
		t.Error("SKILL.md does not begin with its name, its directory's, and a description on one line")
	}
	if lines := strings.Count(string(data), "\n"); lines >= 120 {
		t.Errorf("SKILL.md has %d lines; want fewer than 120", lines)
	}
	for _, verb := range []string{"create", "init", "ls --full", "path", "remove", "restore", "prune"} {
		if !strings.Contains(string(data), "agent-worktree "+verb) {
			t.Errorf("SKILL.md does not teach %s", verb)
		}
	}
}
