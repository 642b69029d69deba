package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/task"
)

func TestFlat(t *testing.T) {
	full := task.Removed{
		Name: "a", Branch: "b", Landing: "merged", Into: "origin/main", Remote: "origin",
		RemoteBranch: "origin/b", Detail: "why", At: "/x", Head: "abc", Recovery: "a.1",
	}
	tests := []struct{ outcome, want string }{
		{"deleted", "landing=merged into=origin/main remoteBranch=origin/b"},
		{"unmerged", "into=origin/main"},
		{"tracks_default", "into=origin/main"},
		{"no_remote", "remote=origin"},
		{"no_default_branch", "remote=origin"},
		{"remote_unreachable", "remote=origin detail=why"},
		{"remote_branch_ahead", "remoteBranch=origin/b"},
		{"remote_branch_kept", "remoteBranch=origin/b detail=why"},
		{"checked_out", "at=/x"},
		{"kept", ""},
		{"detached", "head=abc"},
	}
	for _, test := range tests {
		removed := full
		removed.Outcome = test.outcome
		got := []string{}
		for _, field := range flat(removed) {
			got = append(got, field.Key+"="+field.Value.(string))
		}
		want := strings.Fields("name=a branch=b outcome=" + test.outcome + " " + test.want + " recovery=a.1")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("flat(%s) = %q; want %q", test.outcome, got, want)
		}
	}
}

func TestEmptyIsNull(t *testing.T) {
	removed := task.Removed{Name: "a", Outcome: "deleted"}
	for _, field := range flat(removed) {
		if field.Value == "" {
			t.Errorf("flat: %s is an empty string; want null", field.Key)
		}
	}
	if got, want := row(removed), []any{"a", nil, "deleted", nil, nil, nil}; !reflect.DeepEqual(got, want) {
		t.Errorf("row = %q; want %q", got, want)
	}
}
