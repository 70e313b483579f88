"""Operators on images, in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import resizing, vision
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.resizing import keys
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.windows import in_order, sizes
from relax_dialect.ops.demands import require
from relax_dialect.ops.image import (
    AffineGridOp,
    GridSample3dOp,
    GridSampleOp,
    SamplingOp,
)
from relax_dialect.ops.resizing import Resize1dOp, Resize2dOp, Resize3dOp
from relax_dialect.ops.vision import RoiAlignOp, RoiPoolOp


def unnormalized(g: Array, size: int, aligned: bool) -> Array:
    """Return the index on an axis for a coordinate from -1 to 1."""
    return (g + 1) / 2 * (size - 1) if aligned else ((g + 1) * size - 1) / 2


def padded(c: Array, size: int, op: SamplingOp) -> Array:
    """Return an index moved into the axis, or left outside for zero padding."""
    if op.padding_mode == "zeros":
        return c
    if op.padding_mode == "reflection":
        low, high = (0.0, size - 1.0) if op.align_corners else (-0.5, size - 0.5)
        c = mirrored(c, low, high)
    return np.clip(c, 0, size - 1)


def mirrored(c: Array, low: float, high: float) -> Array:
    """Reflect a coordinate at both ends of a range until it is inside."""
    span = high - low
    if span == 0:
        return np.zeros_like(c)
    distance = np.mod(np.abs(c - low), 2 * span)
    return low + np.where(distance > span, 2 * span - distance, distance)


def samples(op: SamplingOp, g: Array, size: int) -> list[tuple[Array, Array]]:
    """Return indices along an axis that may be outside, and the weights of the elements there."""
    c = unnormalized(g, size, op.align_corners)
    if op.method == "bicubic":
        low = np.floor(c)
        kernel = np.vectorize(lambda d: keys(d, -0.75), otypes=["d"])
        return [(padded(low + k, size, op), kernel(c - low - k)) for k in (-1, 0, 1, 2)]
    c = padded(c, size, op)
    if op.method == "nearest":
        return [(np.rint(c), np.ones_like(c))]
    low = np.floor(c)
    return [(low, 1 - (c - low)), (low + 1, c - low)]


def grid_sample(op: SamplingOp, x: Array, grid: Array) -> Array:
    """Return the weighted elements around every point of the grid; there are zeros outside of x."""
    require(op.demands(sizes(x, op.x_layout), dims(grid)[0]))
    images = in_order(x, op.x_layout, op.letters).astype(np.float64)
    wide, spatial = grid.astype(np.float64), images.shape[2:]
    batch = np.arange(len(images)).reshape(-1, *[1] * len(spatial))
    y = np.zeros((*grid.shape[:-1], images.shape[1]))
    coordinates = reversed(range(len(spatial)))  # the innermost axis comes first
    along = [samples(op, wide[..., c], size) for c, size in zip(coordinates, spatial)]
    for taps in product(*along):
        places = [c for c, _ in taps]
        inside = np.all([(c >= 0) & (c < size) for c, size in zip(places, spatial)], 0)
        found = [np.where(inside, c, 0).astype(np.int64) for c in places]
        seen = np.where(inside[..., None], images[(batch, slice(None), *found)], 0)
        y += np.prod([weight for _, weight in taps], 0)[..., None] * seen
    return in_order(np.moveaxis(y, -1, 1), op.letters, op.result_layout).astype(x.dtype)


def affine_grid(op: AffineGridOp, data: Array, size: Sequence[int]) -> Array:
    """Apply the maps to the homogeneous coordinates of all pixels."""
    require(op.demands(dims(data)[0], len(size)))
    axes = [line(n, op.align_corners) for n in size]
    places = np.meshgrid(*axes, indexing="ij")[::-1]
    homogeneous = np.stack([*places, np.ones(tuple(size))])
    return np.einsum("nij,j...->ni...", data.astype(np.float64), homogeneous).astype(data.dtype)


def line(n: int, aligned: bool) -> Array:
    """Return the coordinates from -1 to 1 of n points in a row."""
    if aligned:
        return np.linspace(-1, 1, n) if n > 1 else np.zeros(n)
    return (2 * np.arange(n) + 1) / max(n, 1) - 1


@register_impls
class ImageFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.image`."""

    resize1d = operator_with_attributes(Resize1dOp, resizing.resize)
    resize2d = operator_with_attributes(Resize2dOp, resizing.resize)
    resize3d = operator_with_attributes(Resize3dOp, resizing.resize)
    grid_sample3d = operator_with_attributes(GridSample3dOp, grid_sample)
    grid_sample = operator_with_attributes(GridSampleOp, grid_sample)
    affine_grid = operator_with_attributes(AffineGridOp, affine_grid)
    roi_align = operator_with_attributes(RoiAlignOp, vision.roi_align)
    roi_pool = operator_with_attributes(RoiPoolOp, vision.roi_pool)
