package git

import "context"

// TopLevel is the root of the checkout that git itself finds from dir, absolute and real.
func (g *Git) TopLevel(ctx context.Context, dir string) (string, error) {
	answer, err := g.Run(ctx, Call{Dir: dir, Args: Quiet("rev-parse", "--show-toplevel")})
	return answer.Text(), err
}
