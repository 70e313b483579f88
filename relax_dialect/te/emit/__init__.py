"""Tensor expressions emitted as prim funcs."""
