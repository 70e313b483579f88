"""Prim funcs of ours in TVM's tensor IR."""
