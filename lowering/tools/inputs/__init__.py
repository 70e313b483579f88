"""The programs and arrays that a tool reads from files."""
