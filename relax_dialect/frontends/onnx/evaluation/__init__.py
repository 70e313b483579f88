"""Nodes computed at import: known arrays and arithmetic on sizes."""
