package main

import (
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/cli"
)

func TestChoose(t *testing.T) {
	tests := []struct {
		listing         listing
		columns, states string
		refused         string // how the refusal starts
	}{
		{listing{}, "name state path", "", ""},
		{listing{full: true}, "name state branch ports path", "", ""},
		{listing{columns: "path,name"}, "path name", "", ""},
		{listing{full: true, columns: "head"}, "head", "", ""},
		{listing{states: "ready,pending"}, "name state path", "ready pending", ""},
		{listing{columns: "project"}, "", "", "column project is for --all"},
		{listing{columns: "name,nope"}, "", "", "unknown column nope: the known ones are name, state"},
		{listing{columns: "name,"}, "", "", "unknown column : "},
		{listing{columns: "name,name"}, "", "", "column name is given twice"},
		{listing{states: "gone"}, "", "", "unknown state gone: the known ones are ready, pending"},
	}
	for _, test := range tests {
		l := test.listing
		err := l.choose(&cli.Process{})
		if test.refused != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.refused) {
				t.Errorf("choose(%v) = %v; want %q", test.listing, err, test.refused)
			}
			continue
		}
		columns, states := strings.Join(l.options.Columns, " "), strings.Join(l.options.States, " ")
		if err != nil || columns != test.columns || states != test.states {
			t.Errorf("choose(%v) = %q, %q, %v; want %q, %q",
				test.listing, columns, states, err, test.columns, test.states)
		}
	}
}
