"""Prim funcs on tensors as functions on memrefs: where each value lives."""
