"""Prim funcs as the graph sees them: their signatures, sizes as ops, and checks at run time."""
