"""Pooling: maximum and average over windows, adaptive pools."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class PoolingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.pooling`."""
