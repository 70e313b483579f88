"""The adjoint of every differentiable operator, a file for each family of `relax_dialect.ops`, named as it."""
