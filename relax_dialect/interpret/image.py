"""Operators on images: resize2d, grid_sample, pixel_shuffle."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls


@register_impls
class ImageFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.image`."""
