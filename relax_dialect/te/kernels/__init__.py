"""Imperative kernels: `te.extern` and what its function writes."""
