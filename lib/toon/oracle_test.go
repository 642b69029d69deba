package toon

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

const reference = "@toon-format/toon@4.4.0"

// decodeAll reads a JSON list of documents and prints the list of their values.
const decodeAll = `
import { decode } from "@toon-format/toon";
import { readFileSync } from "node:fs";
const docs = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(docs.map(doc => decode(doc, { strict: true }))));
`

// TestReferenceDecoder holds our documents to the reference decoder, which reads
// a newer version of the format than toon-go writes.
func TestReferenceDecoder(t *testing.T) {
	script := installReference(t)
	random := rand.New(rand.NewSource(3))
	docs, want := []string{}, []any{}
	for range 3000 {
		doc := randomDocument(random)
		text, err := Encode(doc)
		if err != nil {
			t.Fatalf("Encode(%q) = %v", doc, err)
		}
		docs, want = append(docs, string(text)), append(want, plain(doc))
	}
	input, err := json.Marshal(docs)
	if err != nil {
		t.Fatal(err)
	}
	decoder := exec.Command("node", script)
	decoder.Stdin, decoder.Stderr = bytes.NewReader(input), os.Stderr
	output, err := decoder.Output()
	if err != nil {
		t.Fatalf("the reference decoder failed: %v", err)
	}
	got := []any{}
	if err := json.Unmarshal(output, &got); err != nil || len(got) != len(want) {
		t.Fatalf("the reference decoder gave %d values, %v; want %d", len(got), err, len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%s\ndecoded: %q\nwant:    %q", docs[i], got[i], want[i])
		}
	}
}

// installReference puts the decoder into a scratch directory and returns the
// script to run, or skips the test where that cannot be done.
func installReference(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the reference decoder comes from the network")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node: the reference decoder cannot run")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	dir := t.TempDir()
	install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund",
		"--fetch-retries=0", "--prefix", dir, reference)
	install.WaitDelay = time.Second
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install %s: %v: %.200s", reference, err, out)
	}
	script := filepath.Join(dir, "decode.mjs")
	if err := os.WriteFile(script, []byte(decodeAll), 0o600); err != nil {
		t.Fatal(err)
	}
	return script
}
