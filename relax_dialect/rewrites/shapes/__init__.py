"""Symbolic sizes: binding, propagation, evaluation; one pass per file."""
