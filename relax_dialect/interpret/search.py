"""Operators that look for elements: argmax, argmin, bucketize, nonzero, unique."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class SearchFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.search`."""
