"""Other dialects to Relax; one pass per file."""
