"""Lowering of linalg ops to loops, and transformations of loops."""
