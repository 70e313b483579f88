"""C as text: expressions, types, names, constants, files."""
