"""Normalizations: batch, layer, group, instance and RMS norm."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class NormalizationFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.normalization`."""
