"""The order and number of matrix products; one pass per file."""
