"""Layouts of tensors; one pass per file."""
