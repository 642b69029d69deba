package git

import (
	"context"
	"strings"
)

// asIs keeps replacement refs and grafts out of a judgement: they change what this
// clone shows, and nothing of what the remote holds.
var asIs = []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null"}

// walk is one rev-list over what its standard input names.
func (r *Repo) walk(ctx context.Context, in []string, args ...string) ([]string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, Stdin: []byte(strings.Join(in, "\n") + "\n"),
		Args: Quiet(append([]string{"rev-list", "--stdin"}, args...)...)})
	return answer.Lines(), err
}

// Beyond are the commits that tips reach and none of without does, each with its
// parents. Empty strings in without are left out.
func (r *Repo) Beyond(ctx context.Context, tips []string, without ...string) (map[string][]string, error) {
	lines, err := r.walk(ctx, revisions(tips, without), "--parents")
	if err != nil {
		return nil, err
	}
	graph := make(map[string][]string, len(lines))
	for _, line := range lines {
		ids := strings.Fields(line)
		graph[ids[0]] = ids[1:]
	}
	return graph, nil
}

func revisions(tips, without []string) []string {
	in := append([]string{}, tips...)
	for _, id := range without {
		if id != "" {
			in = append(in, "^"+id)
		}
	}
	return in
}

// Line are the commits of tip's first-parent line that base does not reach.
func (r *Repo) Line(ctx context.Context, tip, base string) ([]string, error) {
	return r.walk(ctx, revisions([]string{tip}, []string{base}), "--first-parent")
}

// Holds tells whether a ref of this clone reaches the commit, which means that all of
// it is here. A commit that is here and hangs from no ref may lack its trees, as after
// a fetch that was killed; it is not held, and neither is one git cannot answer about.
func (r *Repo) Holds(ctx context.Context, commit string) bool {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs,
		Args: Quiet("rev-list", "--max-count=1", commit, "--not", "--all")})
	return err == nil && len(answer.Stdout) == 0
}

// Held are those of the commits that tip reaches; ids of objects that are gone are not.
func (r *Repo) Held(ctx context.Context, tip string, ids []string) ([]string, error) {
	here, err := r.walk(ctx, ids, "--no-walk", "--ignore-missing")
	if err != nil || len(here) == 0 {
		return nil, err
	}
	outside, err := r.Beyond(ctx, here, tip)
	if err != nil {
		return nil, err
	}
	var held []string
	for _, id := range here {
		if _, out := outside[id]; !out {
			held = append(held, id)
		}
	}
	return held, nil
}

// Ancestor tells whether the commit to reaches from, with the clone's replacements
// left out. A commit that is not here is an error.
func (r *Repo) Ancestor(ctx context.Context, from, to string) (bool, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, OK: []int{1},
		Args: Quiet("merge-base", "--is-ancestor", from, to)})
	return err == nil && answer.Status == 0, err
}

// CommonBase is the best commit that all the commits reach, "" when there is none.
func (r *Repo) CommonBase(ctx context.Context, ids ...string) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, OK: []int{1},
		Args: Quiet(append([]string{"merge-base", "--octopus"}, ids...)...)})
	if err != nil || answer.Status == 1 || len(answer.Lines()) == 0 {
		return "", err
	}
	return answer.Lines()[0], nil
}

// PlainBase is MergeBase with the clone's replacements left out.
func (r *Repo) PlainBase(ctx context.Context, a, b string) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, OK: []int{1}, Args: Quiet("merge-base", a, b)})
	if err != nil || answer.Status == 1 {
		return "", err
	}
	return answer.Text(), nil
}
