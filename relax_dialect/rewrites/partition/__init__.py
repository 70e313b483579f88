"""Parts of functions by patterns, for code generators or other kernels; one pass per file."""
