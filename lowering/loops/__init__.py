"""linalg ops as loops, and what happens on loops."""
