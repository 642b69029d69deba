package ledger

import (
	"encoding/json"
	"errors"
	"time"
)

// known are the fields of an entry that this version writes.
type known struct {
	Version int     `json:"version"`
	Setup   string  `json:"setup"`
	Branch  string  `json:"branch,omitempty"`
	Base    *string `json:"base"`
	Cut     bool    `json:"cut"`
	Path    string  `json:"path,omitempty"`
	Primary string  `json:"primary,omitempty"`
	Created string  `json:"created,omitempty"`
}

var knownKeys = []string{"version", "setup", "branch", "base", "cut", "path", "primary", "created"}

// Parse reads an entry; one with no setup that this version knows reads as pending,
// so that it is set up again rather than taken for ready.
func Parse(data []byte) (*Entry, error) {
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(data, &rest); err != nil {
		return nil, err
	}
	if rest == nil {
		return nil, errors.New("it is no JSON object")
	}
	var k known
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, err
	}
	for _, key := range knownKeys {
		delete(rest, key)
	}
	e := &Entry{Setup: k.Setup, Branch: k.Branch, Cut: k.Cut, Path: k.Path, Primary: k.Primary, rest: rest}
	if k.Setup != Making && k.Setup != Finished {
		e.Setup = Pending
	}
	if k.Base != nil {
		e.Base = *k.Base
	}
	if t, err := time.Parse(time.RFC3339, k.Created); err == nil {
		e.Created = t
	}
	return e, nil
}

func (e *Entry) encode() ([]byte, error) {
	k := known{Version: 1, Setup: e.Setup, Branch: e.Branch, Cut: e.Cut, Path: e.Path, Primary: e.Primary}
	if e.Base != "" {
		k.Base = &e.Base
	}
	if !e.Created.IsZero() {
		k.Created = e.Created.UTC().Format(time.RFC3339Nano)
	}
	data, err := json.Marshal(k)
	if err != nil || len(e.rest) == 0 {
		return append(data, '\n'), err
	}
	all := map[string]json.RawMessage{}
	for key, value := range e.rest {
		all[key] = value
	}
	var mine map[string]json.RawMessage
	if err := json.Unmarshal(data, &mine); err != nil {
		return nil, err
	}
	for key, value := range mine {
		all[key] = value
	}
	data, err = json.Marshal(all)
	return append(data, '\n'), err
}
