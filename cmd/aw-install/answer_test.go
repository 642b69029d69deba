package main

import (
	"testing"

	"github.com/cniska/agent-worktree/lib/cli"
	"github.com/cniska/agent-worktree/lib/task"
)

func TestCheck(t *testing.T) {
	text := func(s string) *string { return &s }
	tests := []struct {
		name    string
		options task.InstallOptions
		want    string
	}{
		{"nothing", task.InstallOptions{}, "install needs a hook to write"},
		{"local alone", task.InstallOptions{Local: true}, "install needs a hook to write"},
		{"trust alone", task.InstallOptions{Trust: true}, ""},
		{"setup", task.InstallOptions{Setup: text("npm ci")}, ""},
		{"empty setup", task.InstallOptions{Setup: text("")}, "--setup needs a command"},
		{"blank teardown", task.InstallOptions{Teardown: text(" \n")}, "--teardown needs a command"},
		{"one port", task.InstallOptions{Ports: text("1")}, ""},
		{"most ports", task.InstallOptions{Ports: text("1000")}, ""},
		{"no ports", task.InstallOptions{Ports: text("0")}, "--ports takes a whole number from 1 to 1000, not 0"},
		{"too many", task.InstallOptions{Ports: text("1001")}, "--ports takes a whole number from 1 to 1000, not 1001"},
		{"word", task.InstallOptions{Ports: text("ten")}, "--ports takes a whole number from 1 to 1000, not ten"},
		{"signed", task.InstallOptions{Ports: text("+5")}, "--ports takes a whole number from 1 to 1000, not +5"},
		{"keep", task.InstallOptions{Keep: []string{"*.db"}}, ""},
		{"blank keep", task.InstallOptions{Keep: []string{"*.db", " "}}, "--keep needs a pattern"},
	}
	for _, test := range tests {
		got := ""
		if err := check(&cli.Process{}, test.options); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: check = %q; want %q", test.name, got, test.want)
		}
	}
}
