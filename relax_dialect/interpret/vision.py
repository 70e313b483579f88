"""Operators on regions of images, in f64 and rounded once."""

from __future__ import annotations

from math import ceil, floor

import numpy as np

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.values import Array
from relax_dialect.interpret.windows import in_order, sizes
from relax_dialect.ops.demands import require
from relax_dialect.ops.vision import RoiAlignOp


def spots(op: RoiAlignOp, start: float, end: float, bins: int) -> list[list[float]]:
    """Where the samples of every bin along an axis are."""
    shift = 0.5 if op.aligned else 0.0
    low, high = start * op.spatial_scale - shift, end * op.spatial_scale - shift
    extent = high - low if op.aligned else max(high - low, 1.0)
    size = extent / bins
    count = op.sample_ratio if op.sample_ratio > 0 else max(ceil(size), 0)
    return [[low + b * size + (k + 0.5) * size / count for k in range(count)] for b in range(bins)]


def sample(image: Array, y: float, x: float) -> Array:
    """Every channel at a place between four elements."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(len(image))
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = floor(y), floor(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    below, behind = y - top, x - left
    upper = image[:, top, left] * (1 - behind) + image[:, top, right] * behind
    lower = image[:, bottom, left] * (1 - behind) + image[:, bottom, right] * behind
    return upper * (1 - below) + lower * below


def roi_align(op: RoiAlignOp, x: Array, rois: Array) -> Array:
    """Region by region, bin by bin."""
    require(op.demands(sizes(x, op.x_layout), dims(rois)[0]))
    images = in_order(x, op.x_layout, op.letters).astype(np.float64)
    y = np.zeros((len(rois), images.shape[1], *op.pooled))
    for region, (number, x1, y1, x2, y2) in zip(y, rois.astype(np.float64)):
        if not 0 <= number < len(images):
            raise RelaxError(f"expected {op.WITHIN}, found {number:g} for a size of {len(images)}")
        image = images[int(number)]
        rows, columns = spots(op, y1, y2, op.pooled[0]), spots(op, x1, x2, op.pooled[1])
        for i, j in np.ndindex(*op.pooled):
            seen = [sample(image, r, c) for r in rows[i] for c in columns[j]]
            if seen:
                region[:, i, j] = np.mean(seen, 0) if op.mode == "avg" else np.max(seen, 0)
    return in_order(y, op.letters, op.x_layout).astype(x.dtype)
