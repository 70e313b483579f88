"""Quantization, and integer arithmetic on quantized tensors."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class QuantizationFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.quantization`."""
