"""Target sizes of images, and their scales: by scales, or in proportion to the old sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.imported_values import vector
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.symbolic import Expr

SIMPLE = 64
"""The largest denominator of a scale whose sizes are written as symbolic expressions."""


@dataclass
class ResizeTarget:
    """The target of axes: their sizes, and their scales if these are not the ratios of sizes."""

    sizes: Mapping[int, Expr]
    scales: Any = None
    """A number for each of those axes: known ones, or a value of the program."""

    def changes(self, axis: int, old: Expr) -> bool:
        """Returns whether the size of an axis may change."""
        if axis not in self.sizes:
            return False
        if isinstance(self.scales, np.ndarray):
            return self.scales[list(self.sizes).index(axis)] != 1
        return self.scales is not None or self.sizes[axis] is not old

    def scales_of(self, axes: Sequence[int]) -> Any:
        """Return the scales of some axes; None if they are the ratios of the sizes."""
        if self.scales is None or list(axes) == list(self.sizes):
            return self.scales
        places = [list(self.sizes).index(axis) for axis in axes]
        return op.take(self.scales, np.array(places, np.int64), 0)


def by_scales(node: OnnxNode, axes: Sequence[int], scales: Any) -> ResizeTarget:
    """Return the sizes for scales, which are rounded down; scales that are not known change the last axes,
    and are checked to keep two before them."""
    old = [node.shape(0)[axis] for axis in axes]
    if not isinstance(scales, np.ndarray):
        free = len(axes) - (2 if len(axes) > 3 else 0)
        kept = len(axes) - free
        sizes = _computed(
            node, op.multiply(_lengths(node, old), scales), [*old[:kept], *[None] * free]
        )
        last = scales if not kept else node.emit(op.take(scales, np.arange(kept, len(axes)), 0))
        return ResizeTarget(dict(zip(axes[kept:], sizes[kept:])), last)
    if len(scales) != len(axes):
        node.fail(f"a scale for each of {len(axes)} axes", str(len(scales)), "correct the model")
    if not (np.isfinite(scales) & (scales > 0)).all():
        node.fail("scales above 0", str(scales.tolist()), "correct the model")
    found = [_size_by_scale(*pair) for pair in zip(old, scales)]
    sizes = [size for size in found if size is not None]
    if len(sizes) != len(found):
        sizes = _computed(node, op.multiply(_lengths(node, old), scales), found)
    exact = all(map(_is_ratio, scales, old, sizes))
    return ResizeTarget(dict(zip(axes, sizes)), None if exact else scales)


def _size_by_scale(size: Expr, scale: Any) -> Expr | None:
    """Multiply a size by a scale, rounded down; None if it is computed at run time."""
    if size.value is not None:
        return symbolic.const(int(np.float32(size.value) * np.float32(scale)))
    exact = Fraction(float(scale))
    if exact.denominator > SIMPLE:
        return None
    return symbolic.floordiv(size * exact.numerator, exact.denominator)


def _is_ratio(scale: Any, size: Expr, new: Expr) -> bool:
    """Returns whether a scale is the ratio of two sizes."""
    exact = Fraction(float(scale))
    return size * exact.numerator is new * exact.denominator


def _lengths(node: OnnxNode, sizes: Sequence[Expr]) -> Any:
    """Return sizes as a vector of f32."""
    return op.astype(node.context.placed(vector(sizes)), "f32")


def _computed(node: OnnxNode, lengths: Any, sizes: Sequence[Expr | None]) -> list[Expr]:
    """Return lengths rounded down at run time, as sizes; known ones are checked."""
    names = [node.fresh_size("size") if size is None else size for size in sizes]
    shape = node.emit(op.tensor_to_shape(op.astype(op.floor(lengths), "i64")))
    node.context.builder.match_shape(shape, names)
    return names


def in_proportion(
    node: OnnxNode, axes: Sequence[int], sizes: Sequence[Expr], policy: str
) -> ResizeTarget:
    """Return sizes that keep the ratio of the old ones, within the wanted ones or around them."""
    old = [node.shape(0)[axis] for axis in axes]
    numbers = [size.value for size in (*old, *sizes)]
    smallest = policy == "not_larger"
    if None not in numbers:
        lengths, wanted = np.array(numbers, np.float32).reshape(2, -1)
        scale = (np.min if smallest else np.max)(wanted / lengths)
        found = [symbolic.const(int(length * scale + np.float32(0.5))) for length in lengths]
        return ResizeTarget(dict(zip(axes, found)), np.full(len(axes), scale, np.float32))
    lengths, wanted = _lengths(node, old), _lengths(node, sizes)
    extreme = op.min if smallest else op.max
    scale = node.emit(extreme(op.divide(wanted, lengths), [0], True))
    found = _computed(node, op.add(op.multiply(lengths, scale), 0.5), [None] * len(axes))
    return ResizeTarget(dict(zip(axes, found)), node.emit(op.broadcast_to(scale, [len(axes)])))
