"""The adjoints of the operators: a file for each family of `relax_dialect.ops`, of the same name."""
