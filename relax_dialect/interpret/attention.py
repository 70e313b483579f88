"""Attention."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class AttentionFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.attention`."""
