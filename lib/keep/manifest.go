package keep

import (
	"encoding/json"
	"strings"
	"time"
)

// manifestName is the manifest's file in an entry.
const manifestName = "manifest.json"

// A manifest says what is in an entry and where it came from.
type manifest struct {
	SchemaVersion int     `json:"schema_version"`
	Worktree      string  `json:"worktree"`
	Branch        *string `json:"branch"` // null when detached
	Source        string  `json:"source"`
	ArchivedAt    string  `json:"archived_at"` // RFC 3339, UTC
	Primary       string  `json:"primary"`
	Files         []file  `json:"files"`
}

// A file is one file that is in the entry, or one link that is recorded alone.
type file struct {
	Path   string `json:"path"`             // in the worktree, and in the entry unless Stored says else
	Stored string `json:"stored,omitempty"` // in the entry
	Size   *int64 `json:"size,omitempty"`   // of what was written, in bytes
	SHA256 string `json:"sha256,omitempty"` // of what was written
	Target string `json:"target,omitempty"` // of a link
}

func (r Request) manifest() manifest {
	m := manifest{
		SchemaVersion: 1,
		Worktree:      r.Name,
		Source:        r.Source,
		ArchivedAt:    r.Now.UTC().Format(time.RFC3339),
		Primary:       r.Primary,
	}
	if r.Branch != "" {
		m.Branch = &r.Branch
	}
	return m
}

// encode is the manifest's text, redacted as the files are.
func (m manifest) encode(homes []string) (string, error) {
	fields := []*string{&m.Worktree, &m.Source, &m.Primary}
	if m.Branch != nil {
		branch := *m.Branch
		m.Branch = &branch
		fields = append(fields, m.Branch)
	}
	for _, field := range fields {
		clean, err := cleaned(*field, homes)
		if err != nil {
			return "", err
		}
		*field = clean
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(m)
	return b.String(), err
}
