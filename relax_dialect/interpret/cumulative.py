"""Operators that accumulate along an axis: cumsum, cumprod and their like."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class CumulativeFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.cumulative`."""
