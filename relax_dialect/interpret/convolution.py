"""Convolutions in one to three dimensions, and transposed ones."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class ConvolutionFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.convolution`."""
