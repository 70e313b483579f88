"""Operators on images, in f64 and rounded once; the coordinates of resized images are fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import vision
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.total_arithmetic import astype
from relax_dialect.interpret.values import Array, numpy_dtype
from relax_dialect.interpret.windows import in_order, sizes
from relax_dialect.ops.demands import require
from relax_dialect.ops.image import (
    AffineGridOp,
    GridSampleOp,
    Resize1dOp,
    Resize2dOp,
    Resize3dOp,
    ResizeOp,
)
from relax_dialect.ops.vision import RoiAlignOp, RoiPoolOp
from relax_dialect.symbolic import const

HALF = Fraction(1, 2)

COORDINATE: dict[str, Callable[[int, int, int], Fraction]] = {
    "half_pixel": lambda p, h, n: (p + HALF) * h / n - HALF,
    "pytorch_half_pixel": lambda p, h, n: (p + HALF) * h / n - HALF if n > 1 else Fraction(0),
    "tf_half_pixel_for_nn": lambda p, h, n: (p + HALF) * h / n,
    "asymmetric": lambda p, h, n: Fraction(p * h, n),
    "align_corners": lambda p, h, n: Fraction(p * (h - 1), n - 1) if n > 1 else Fraction(0),
}
"""Where place p of n is in an axis of h elements."""

ROUND: dict[str, Callable[[Fraction], int]] = {
    "round": lambda c: floor(c + HALF),
    "round_prefer_ceil": lambda c: floor(c + HALF),
    "round_prefer_floor": lambda c: ceil(c - HALF),
    "floor": floor,
    "ceil": ceil,
}
"""The element nearest to a coordinate."""

Taps = list[tuple[int, float]]


def keys(distance: float, alpha: float) -> float:
    """The cubic convolution kernel of Keys."""
    d = abs(distance)
    if d <= 1:
        return ((alpha + 2) * d - (alpha + 3)) * d * d + 1
    return ((alpha * d - 5 * alpha) * d + 8 * alpha) * d - 4 * alpha if d < 2 else 0.0


def taps(op: ResizeOp, coordinate: Fraction, size: int) -> Taps:
    """The elements of an axis that are seen at a coordinate, which may be outside, and their weights."""
    low = floor(coordinate)
    rest = float(coordinate - low)
    if op.method == "nearest_neighbor":
        return [(ROUND[op.rounding](coordinate), 1.0)]
    if op.method == "linear":
        return [(low, 1 - rest), (low + 1, rest)]
    found = [(low + k, keys(rest - k, op.cubic_alpha)) for k in (-1, 0, 1, 2)]
    if not op.cubic_exclude:
        return found
    kept = [(place, weight if 0 <= place < size else 0.0) for place, weight in found]
    total = sum(weight for _, weight in kept)
    return [(place, weight / total) for place, weight in kept]


def along(x: Array, axis: int, seen: Sequence[Taps]) -> Array:
    """The weighted sums along an axis; the elements at its ends are repeated."""
    parts = []
    for column in zip(*seen):
        places = np.clip([place for place, _ in column], 0, x.shape[axis] - 1)
        weights = np.array([weight for _, weight in column])
        rows = np.moveaxis(np.take(x, places, axis), axis, -1)
        parts.append(np.moveaxis(rows * weights, -1, axis))
    return sum(parts[1:], parts[0])


def coordinates(op: ResizeOp, letter: str, h: int, n: int) -> list[Fraction]:
    """Where the places of an axis are in x."""
    if not op.crops:
        return [COORDINATE[op.coordinate_transformation_mode](p, h, n) for p in range(n)]
    start, end = op.part(letter)
    first = start * (h - 1) if n > 1 else 0.5 * (start + end) * (h - 1)
    step = (end - start) * (h - 1) / max(n - 1, 1)
    return [Fraction(first + p * step) for p in range(n)]


def along_axis(row: Sequence[bool], axis: int, rank: int) -> Array:
    """A row that lies along one axis of a tensor."""
    return np.array(row).reshape([-1 if d == axis else 1 for d in range(rank)])


def resize(op: ResizeOp, x: Array, size: Sequence[int]) -> Array:
    """One axis after the other, the innermost first."""
    require(op.demands(sizes(x, op.x_layout), list(map(const, size))))
    dtype = x.dtype if op.out_dtype is None else numpy_dtype(op.out_dtype)
    nearest = op.method == "nearest_neighbor"
    y, outside = x if nearest else x.astype(np.float64), np.zeros((1,) * x.ndim, np.bool_)
    for letter, n in reversed(list(zip(op.SPATIAL, size))):
        axis = op.x_layout.index(letter)
        h = x.shape[axis]
        found = coordinates(op, letter, h, n)
        seen = [taps(op, c, h) for c in found]
        outside = outside | along_axis(
            [op.crops and not 0 <= c <= h - 1 for c in found], axis, x.ndim
        )
        if nearest:
            y = np.take(y, np.clip([row[0][0] for row in seen], 0, h - 1), axis)
        else:
            y = along(y, axis, seen)
    y = np.where(outside, np.asarray(op.extrapolation_value).astype(y.dtype), y) if op.crops else y
    return astype(np.rint(y) if dtype.kind in "iu" and not nearest else y, dtype)


def unnormalized(g: Array, size: int, aligned: bool) -> Array:
    """The index of an axis that a coordinate from -1 to 1 stands for."""
    return (g + 1) / 2 * (size - 1) if aligned else ((g + 1) * size - 1) / 2


def padded(c: Array, size: int, op: GridSampleOp) -> Array:
    """An index moved into the axis, or left outside where there are zeros."""
    if op.padding_mode == "zeros":
        return c
    if op.padding_mode == "reflection":
        low, high = (0.0, size - 1.0) if op.align_corners else (-0.5, size - 0.5)
        c = mirrored(c, low, high)
    return np.clip(c, 0, size - 1)


def mirrored(c: Array, low: float, high: float) -> Array:
    """A place reflected at both ends of a range until it is inside."""
    span = high - low
    if span == 0:
        return np.zeros_like(c)
    distance = np.mod(np.abs(c - low), 2 * span)
    return low + np.where(distance > span, 2 * span - distance, distance)


def samples(op: GridSampleOp, g: Array, size: int) -> list[tuple[Array, Array]]:
    """Places along an axis that may be outside, and the weights of the elements there."""
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


def grid_sample(op: GridSampleOp, x: Array, grid: Array) -> Array:
    """The weighted elements around every place of the grid; there are zeros outside of x."""
    require(op.demands(sizes(x, op.x_layout), dims(grid)[0]))
    images = in_order(x, op.x_layout, op.letters).astype(np.float64)
    wide = grid.astype(np.float64)
    height, width = images.shape[2:]
    batch = np.arange(len(x)).reshape(-1, 1, 1)
    y = np.zeros((*grid.shape[:3], images.shape[1]))
    for rows, row_weights in samples(op, wide[..., 1], height):
        for columns, weights in samples(op, wide[..., 0], width):
            inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
            row, column = (np.where(inside, c, 0).astype(np.int64) for c in (rows, columns))
            seen = np.where(inside[..., None], images[batch, :, row, column], 0)
            y += (row_weights * weights)[..., None] * seen
    return in_order(np.moveaxis(y, -1, 1), op.letters, op.result_layout).astype(x.dtype)


def affine_grid(op: AffineGridOp, data: Array, size: Sequence[int]) -> Array:
    """The maps applied to the homogeneous coordinates of all places."""
    require(op.demands(dims(data)[0], len(size)))
    axes = [line(n, op.align_corners) for n in size]
    places = np.meshgrid(*axes, indexing="ij")[::-1]
    homogeneous = np.stack([*places, np.ones(tuple(size))])
    return np.einsum("nij,j...->ni...", data.astype(np.float64), homogeneous).astype(data.dtype)


def line(n: int, aligned: bool) -> Array:
    """The coordinates from -1 to 1 of n places in a row."""
    if aligned:
        return np.linspace(-1, 1, n) if n > 1 else np.zeros(n)
    return (2 * np.arange(n) + 1) / max(n, 1) - 1


@register_impls
class ImageFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.image`."""

    resize1d = operator_with_attributes(Resize1dOp, resize)
    resize2d = operator_with_attributes(Resize2dOp, resize)
    resize3d = operator_with_attributes(Resize3dOp, resize)
    grid_sample = operator_with_attributes(GridSampleOp, grid_sample)
    affine_grid = operator_with_attributes(AffineGridOp, affine_grid)
    roi_align = operator_with_attributes(RoiAlignOp, vision.roi_align)
    roi_pool = operator_with_attributes(RoiPoolOp, vision.roi_pool)
