"""Normal forms of functions, and conversions between them; one pass per file."""
