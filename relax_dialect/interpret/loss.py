"""Losses."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class LossFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.loss`."""
