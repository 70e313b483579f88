"""Operators that read and write elements at indices: take, gather, scatter, slices."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class IndexingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.indexing`."""
