"""Elementwise operators on three tensors: where, clip and their like."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class TernaryFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.ternary`."""
