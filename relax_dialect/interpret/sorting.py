"""Operators that sort: sort, argsort, topk, median."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class SortingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.sorting`."""
