"""Imperative kernels: `te.extern` and its builder."""
