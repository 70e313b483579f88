"""Operators on regions of images, in f64 and rounded once."""

from __future__ import annotations

from math import ceil, floor

import numpy as np

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.statistical import widened
from relax_dialect.interpret.windows import in_order, sizes
from relax_dialect.ops.demands import require
from relax_dialect.ops.vision import FARTHEST, RegionsOp, RoiAlignOp, RoiPoolOp


def spots(op: RoiAlignOp, start: float, end: float, bins: int) -> list[list[float]]:
    """Return the coordinates of the samples of every bin along an axis."""
    shift = 0.5 if op.aligned else 0.0
    low, high = start * op.spatial_scale - shift, end * op.spatial_scale - shift
    extent = high - low if op.aligned else max(high - low, 1.0)
    size = extent / bins
    count = op.sample_ratio if op.sample_ratio > 0 else max(ceil(size), 0)
    return [[low + b * size + (k + 0.5) * size / count for k in range(count)] for b in range(bins)]


def sample(op: RoiAlignOp, image: Array, y: float, x: float) -> Array:
    """Return every channel at a point between four elements: their weighted sum, or its largest addend."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = floor(y), floor(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    below, right_of = y - top, x - left
    if op.mode == "max_addend":
        upper, lower = (
            np.maximum(
                image[:, row, left] * (1 - right_of) * part, image[:, row, right] * right_of * part
            )
            for row, part in ((top, 1 - below), (bottom, below))
        )
        return np.maximum(upper, lower)
    upper = image[:, top, left] * (1 - right_of) + image[:, top, right] * right_of
    lower = image[:, bottom, left] * (1 - right_of) + image[:, bottom, right] * right_of
    return upper * (1 - below) + lower * below


def image_numbers(op: RegionsOp, x: Array, rois: Array) -> list[int]:
    """Return the image that each region is of, after a check of the sizes."""
    require(op.demands(sizes(x, op.x_layout), dims(rois)[0]))
    size, numbers = x.shape[op.x_layout.index("N")], rois[:, 0].astype(np.float64)
    for number in numbers:
        if not 0 <= number < size:
            raise RelaxError(f"expected {op.WITHIN}, found {number:g} for a size of {size}")
    return [int(number) for number in numbers]


def roi_align(op: RoiAlignOp, x: Array, rois: Array) -> Array:
    """Pool region by region, bin by bin."""
    images = in_order(x, op.x_layout, op.letters).astype(np.float64)
    y = np.zeros((len(rois), images.shape[1], *op.pooled))
    numbers = image_numbers(op, x, rois)
    for region, number, (x1, y1, x2, y2) in zip(y, numbers, rois[:, 1:].astype(np.float64)):
        image = images[number]
        rows, columns = spots(op, y1, y2, op.pooled[0]), spots(op, x1, x2, op.pooled[1])
        for i, j in np.ndindex(*op.pooled):
            seen = [sample(op, image, r, c) for r in rows[i] for c in columns[j]]
            if seen:
                region[:, i, j] = np.mean(seen, 0) if op.mode == "avg" else np.max(seen, 0)
    return in_order(y, op.letters, op.x_layout).astype(x.dtype)


def nearest(edges: Array) -> list[int]:
    """Return the elements nearest to the edges of a region, half-way away from zero."""
    size = np.abs(edges)
    whole = np.floor(size)
    rounded = np.copysign(whole + (size - whole >= 0.5), edges)
    return [int(v) for v in np.clip(np.nan_to_num(rounded, nan=0.0), -FARTHEST, FARTHEST)]


def part(p: int, bins: int, start: int, end: int, size: int) -> slice:
    """Return the elements of an axis that bin p of a region takes, as far as they are in the image."""
    extent = max(end - start + 1, 1)
    low, high = start + p * extent // bins, start + -(-(p + 1) * extent // bins)
    return slice(min(max(low, 0), size), min(max(high, 0), size))


def roi_pool(op: RoiPoolOp, x: Array, rois: Array) -> Array:
    """Pool region by region, bin by bin; the edges are computed exactly as in compiled code, since rounding
    is discontinuous."""
    images = in_order(x, op.x_layout, op.letters)
    y = np.zeros((len(rois), images.shape[1], *op.pooled), x.dtype)
    edges = widened(rois[:, 1:])
    edges = edges * edges.dtype.type(op.spatial_scale)
    for region, number, row in zip(y, image_numbers(op, x, rois), edges):
        image, (x1, y1, x2, y2) = images[number], nearest(row)
        for i, j in np.ndindex(*op.pooled):
            rows = part(i, op.pooled[0], y1, y2, image.shape[1])
            columns = part(j, op.pooled[1], x1, x2, image.shape[2])
            seen = image[:, rows, columns]
            if seen[0].size:
                region[:, i, j] = np.max(seen, (1, 2))
    return in_order(y, op.letters, op.x_layout)
