"""A script as text and as a syntax tree."""
