"""Prim funcs of TVM's tensor IR as prim funcs of ours."""
