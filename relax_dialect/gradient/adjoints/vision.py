"""Regions of images as compositions to differentiate, also by the regions' coordinates."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.adjoints.image import Tap, weighed
from relax_dialect.gradient.adjoints.pooling import first_maxima, sizes_in_order
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.one_to_one_reads import number
from relax_dialect.gradient.registry import Applied, expansion
from relax_dialect.ir.order import describe
from relax_dialect.ops import vision as ops


def _column(of: Applied[ops.RegionsOp], index: int) -> Any:
    """A column of the regions, [regions, 1]."""
    return op.strided_slice(of.inputs[1], [1], [index], [index + 1])


@expansion(ops.RoiAlignOp)
def roi_align(of: Applied[ops.RoiAlignOp]) -> Any:
    """The elements around each sample, weighed by its distance from them, reduced bin by bin."""
    this, sizes, count = of.op, sizes_in_order(of), of.op.sample_ratio
    if count <= 0:
        raise GradientError(
            f"{describe(this)}: expected a number of samples that is known to differentiate it, found "
            f"sample_ratio = {count}, by which it depends on the regions; set sample_ratio"
        )
    x = op.permute_dims(of.x, [this.x_layout.index(d) for d in "NHWC"])
    rows = op.reshape(x, [symbolic.product([sizes[0], *sizes[2:]]), sizes[1]])
    taps: list[list[Tap]] = []
    for axis, (first, bins, size) in enumerate(zip((2, 1), this.pooled, sizes[2:])):
        places = _samples(of, first, bins)
        length = number(size, of.type().dtype)
        valid = op.logical_and(places >= -1.0, places <= length)
        inside = op.minimum(op.maximum(places, 0.0), length - 1.0)
        low = op.floor(inside)
        above = inside - low
        high = op.minimum(low + 1.0, length - 1.0)
        taps.append(
            [
                (
                    op.expand_dims(place, [2 - axis]),
                    op.expand_dims(op.where(valid, share, 0.0), [2 - axis]),
                )
                for place, share in ((low, 1.0 - above), (high, above))
            ]
        )
    image = op.expand_dims(_column(of, 0).astype("i64"), [2])
    largest = op.maximum if this.mode == "max_addend" else None
    found = weighed(rows, image, sizes[2:], product(*taps), largest)
    high, wide = this.pooled
    split = op.reshape(found, [of.sizes(1)[0], high, count, wide, count, sizes[1]])
    reduced = op.mean(split, [2, 4]) if this.mode == "avg" else op.max(split, [2, 4])
    return op.permute_dims(reduced, ["NHWC".index(d) for d in this.x_layout])


def _samples(of: Applied[ops.RoiAlignOp], first: int, bins: int) -> Any:
    """Return the coordinates of the samples along an axis, [regions, bins * samples]."""
    this, count = of.op, of.op.sample_ratio
    shift = 0.5 if this.aligned else 0.0
    low, high = (_column(of, i) * this.spatial_scale - shift for i in (first, first + 2))
    extent = high - low if this.aligned else op.maximum(high - low, 1.0)
    steps = ((np.arange(bins * count) + 0.5) / count / bins)[None]
    return low + extent * op.astype(steps, of.type().dtype)


@expansion(ops.RoiPoolOp)
def roi_pool(of: Applied[ops.RoiPoolOp]) -> Any:
    """Axis by axis the first maximum of each bin; zeros where one is empty."""
    this = of.op
    x = op.permute_dims(of.x, [this.x_layout.index(d) for d in this.letters])
    x = op.take(x, op.squeeze(_column(of, 0).astype("i64"), [1]), 0)
    for axis, first, bins in ((3, 1, this.pooled[1]), (2, 2, this.pooled[0])):
        mask = op.expand_dims(_bins(of, first, bins), [1, 2])
        x = first_maxima(x, mask, axis, 4)
    found = op.where(x == -math.inf, 0.0, x)
    return op.permute_dims(found, [this.letters.index(d) for d in this.x_layout])


def _bins(of: Applied[ops.RoiPoolOp], first: int, bins: int) -> Any:
    """Which elements of an axis each bin of each region has, [regions, bins, size]."""
    edges = (_column(of, i) * of.op.spatial_scale for i in (first, first + 2))
    low, high = ((op.sign(e) * op.floor(op.abs(e) + 0.5)).astype("i64") for e in edges)
    extent = op.maximum(high - low + 1, 1)
    part = op.arange(0, bins, 1)
    start = low + op.floor_divide(part * extent, bins)
    end = low + op.floor_divide((part + 1) * extent + (bins - 1), bins)
    sizes = sizes_in_order(of)
    place = op.arange(0, sizes[3 if first == 1 else 2], 1)
    start, end = op.expand_dims(start, [2]), op.expand_dims(end, [2])
    return op.logical_and(place >= start, place < end)
