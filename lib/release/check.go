package release

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// once is how long the answer of a check stands.
const once = 24 * time.Hour

// Check is what is remembered of the last question to a channel.
type Check struct {
	// Asked is when, in UTC and whole seconds.
	Asked time.Time `json:"asked"`
	// Channel is which channel was asked.
	Channel Channel `json:"channel"`
	// Latest is the newest version that channel is known to serve, or "".
	Latest string `json:"latest,omitempty"`
}

// Install is the install whose tool is running.
type Install struct {
	Channel Channel

	executable string // its path, without symlinks
	record     string // the file its check is recorded in
}

// Find tells which install the running tool is of, by the environment getenv
// reads. ok is false when it has no channel, or when checks are off.
func Find(getenv func(string) string) (install Install, ok bool) {
	if getenv("CI") != "" || getenv("AGENT_WORKTREE_NO_UPDATE_CHECK") != "" {
		return install, false
	}
	executable, err := os.Executable()
	if err == nil {
		executable, err = filepath.EvalSymlinks(executable)
	}
	if err != nil {
		return install, false
	}
	home := getenv("HOME")
	install = Install{ChannelOf(executable, home), executable, record(getenv("XDG_STATE_HOME"), home)}
	return install, install.Channel != "" && install.record != ""
}

// record is the file's path, or "" when there is no home to have it in.
func record(state, home string) string {
	if !filepath.IsAbs(state) {
		state = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(state) {
		return ""
	}
	return filepath.Join(state, "agent-worktree", "update-check.json")
}

// Known is the install's last check. What another channel was asked, or what
// cannot be read, is no check of this one's.
func (i Install) Known() Check {
	check := Check{}
	text, err := os.ReadFile(i.record)
	if err == nil {
		err = json.Unmarshal(text, &check)
	}
	if err != nil || check.Channel != i.Channel {
		return Check{Channel: i.Channel}
	}
	return check
}

// due reports whether a day has passed since, or the clock was put back.
func (c Check) due(now time.Time) bool {
	return c.Asked.After(now) || now.Sub(c.Asked) >= once
}

// Begin records that the channel is asked now, and what it is known to serve
// meanwhile. Where that cannot be written there is to be no check.
func (i Install) Begin() error {
	check := i.Known()
	check.Asked = time.Now().UTC().Truncate(time.Second)
	return i.write(check)
}

// Answer records the version that the channel named.
func (i Install) Answer(latest string) error {
	check := i.Known()
	check.Latest = latest
	return i.write(check)
}

// write replaces the record whole.
func (i Install) write(check Check) error {
	text, err := json.Marshal(check)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(i.record), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(i.record), ".update-check-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // gone already when all went well
	_, err = file.Write(append(text, '\n'))
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), i.record)
}
