"""Simplification, folding and removal of ops; one pass per file."""
