"""Operators found in their expanded forms; one pass per file."""
