"""Functions, closures and calls; one pass per file."""
