"""Patterns: how they are built, checked and printed."""
