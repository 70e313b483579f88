"""Functions and calls split into a forward and a backward part."""
