"""Fusion of prim funcs: elementwise chains, epilogues, duplicates, and reshapes."""
