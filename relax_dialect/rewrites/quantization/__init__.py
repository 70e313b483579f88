"""Quantisation to 8-bit integers; one pass per file."""
