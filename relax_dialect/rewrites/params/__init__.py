"""Weights and other parameters of functions; one pass per file."""
