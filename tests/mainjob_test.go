package tests

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// TestMainJob and TestPruneJob run the jobs on real input, which anyone can also run
// alone.
func TestMainJob(t *testing.T)  { runJob(t, "./mainjob.sh") }
func TestPruneJob(t *testing.T) { runJob(t, "./prunejob.sh") }

func runJob(t *testing.T, script string) {
	bin := tools(t)
	alone(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	job := exec.CommandContext(ctx, script, bin)
	job.WaitDelay = time.Second
	out, err := job.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", script, err)
	}
	t.Logf("%s", out)
}
