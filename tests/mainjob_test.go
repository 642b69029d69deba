package tests

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// TestMainJob runs mainjob.sh, the tool's main job on real input, which anyone
// can also run alone.
func TestMainJob(t *testing.T) {
	bin := tools(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	job := exec.CommandContext(ctx, "./mainjob.sh", bin)
	job.WaitDelay = time.Second
	out, err := job.CombinedOutput()
	if err != nil {
		t.Errorf("mainjob.sh: %v", err)
	}
	t.Logf("%s", out)
}
