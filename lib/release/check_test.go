package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// environment is a getenv over pairs of key and value.
func environment(pairs ...string) func(string) string {
	return func(key string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestFindTurnedOff(t *testing.T) {
	for _, key := range []string{"CI", "AGENT_WORKTREE_NO_UPDATE_CHECK"} {
		if _, ok := Find(environment("HOME", "/h", key, "0")); ok {
			t.Errorf("Find under %s=0 is ok; want it off", key)
		}
	}
}

func TestRecord(t *testing.T) {
	tests := []struct{ state, home, want string }{
		{"/s", "/h", "/s/agent-worktree/update-check.json"},
		{"", "/h", "/h/.local/state/agent-worktree/update-check.json"},
		{"s", "/h", "/h/.local/state/agent-worktree/update-check.json"},
		{"", "", ""},
		{"", "h", ""},
	}
	for _, test := range tests {
		if got := record(test.state, test.home); got != test.want {
			t.Errorf("record(%q, %q) = %q; want %q", test.state, test.home, got, test.want)
		}
	}
}

// curl is an install in a scratch home whose aw-latest does nothing.
func curl(t *testing.T) Install {
	t.Helper()
	home := t.TempDir()
	tool := filepath.Join(home, "aw-latest")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return Install{Curl, filepath.Join(home, "aw-ls"), record("", home)}
}

func TestNotice(t *testing.T) {
	const line = "agent-worktree 999.0.0 is out (running "
	tests := []struct {
		name    string
		channel Channel
		ago     time.Duration
		latest  string
		line    bool // a line is printed
		asks    bool // a check is begun
		keeps   string
	}{
		{"fresh and newer", Curl, time.Minute, "999.0.0", true, false, "999.0.0"},
		{"fresh and the same", Curl, time.Minute, Version(), false, false, Version()},
		{"fresh and nothing known", Curl, time.Minute, "", false, false, ""},
		{"a day old", Curl, 24 * time.Hour, "999.0.0", false, true, "999.0.0"},
		{"from the future", Curl, -time.Hour, "999.0.0", false, true, "999.0.0"},
		{"another channel's", NPM, time.Minute, "999.0.0", false, true, ""},
	}
	for _, test := range tests {
		i := curl(t)
		asked := time.Now().UTC().Add(-test.ago).Truncate(time.Second)
		if err := i.write(Check{asked, test.channel, test.latest}); err != nil {
			t.Fatal(err)
		}
		got := i.Notice()
		if strings.HasPrefix(got, line) != test.line || (got == "") == test.line {
			t.Errorf("%s: Notice() = %q; want a line: %v", test.name, got, test.line)
		}
		now := i.Known()
		if now.Asked.Equal(asked) == test.asks || now.Latest != test.keeps {
			t.Errorf("%s: recorded %v; want a check begun: %v, latest %q", test.name, now, test.asks, test.keeps)
		}
	}
}

// TestNoticeAsksOnce starts many tools at once.
func TestNoticeAsksOnce(t *testing.T) {
	i := curl(t)
	dir := filepath.Dir(i.executable)
	script := "#!/bin/sh\necho asked >>" + filepath.Join(dir, "log") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "aw-latest"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	for range 16 {
		go func() { done <- i.Notice() }()
	}
	for range 16 {
		if line := <-done; line != "" {
			t.Errorf("Notice() = %q; want none", line)
		}
	}
	log := func() string {
		text, _ := os.ReadFile(filepath.Join(dir, "log"))
		return string(text)
	}
	for end := time.Now().Add(5 * time.Second); log() == "" && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if got := log(); got != "asked\n" {
		t.Errorf("the log says %q; want one question", got)
	}
}

// TestNoticeWithoutRecord is a state directory that cannot be made.
func TestNoticeWithoutRecord(t *testing.T) {
	i := curl(t)
	i.record = filepath.Join(i.executable, "under", "a", "file")
	if err := os.WriteFile(i.executable, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if line := i.Notice(); line != "" {
		t.Errorf("Notice() = %q; want none", line)
	}
}
