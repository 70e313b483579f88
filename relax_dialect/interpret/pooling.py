"""Pools; means of f16 and bf16 accumulate in f32."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.total_arithmetic import quotient
from relax_dialect.interpret.windows import (
    in_order,
    known_sizes,
    least,
    mean_type,
    sizes,
    slid,
    sum_type,
)
from relax_dialect.ops.demands import require
from relax_dialect.ops.pooling import (
    AdaptiveAvgPool1dOp,
    AdaptiveAvgPool2dOp,
    AdaptiveAvgPool3dOp,
    AdaptiveMaxPool1dOp,
    AdaptiveMaxPool2dOp,
    AdaptiveMaxPool3dOp,
    AdaptiveMaxPoolOp,
    AdaptivePoolOp,
    AvgPool1dOp,
    AvgPool2dOp,
    AvgPool3dOp,
    IndexedMaxPoolOp,
    MaxPool1dOp,
    MaxPool1dWithIndicesOp,
    MaxPool2dOp,
    MaxPool2dWithIndicesOp,
    MaxPool3dOp,
    MaxPool3dWithIndicesOp,
    PoolOp,
)


def _images(op: PoolOp | AdaptivePoolOp, x: Array) -> tuple[Array, list[int]]:
    """Return x with its axes in the default order, and the spatial sizes of the result."""
    found = sizes(x, op.x_layout)
    require(op.demands(found))
    return in_order(x, op.x_layout, op.letters), known_sizes(op.extents(found))


def largest(op: PoolOp, x: Array) -> Array:
    """Return the maximum over the window."""
    images, counts = _images(op, x)
    lowest = least(x.dtype)
    y = np.full((*images.shape[:2], *counts), lowest, x.dtype)
    for _, seen in slid(images, op.pool_windows(), counts, lowest):
        y = np.maximum(y, seen)
    return in_order(y, op.letters, op.result_layout)


def largest_with_places(op: IndexedMaxPoolOp, x: Array) -> tuple[Array, Array]:
    """Return the maximum over the window, and the linear index of its element."""
    images, counts = _images(op, x)
    rank, lowest = images.ndim - 2, least(x.dtype)
    order = [0, 1, *(reversed(range(2, rank + 2)) if op.column_major else range(2, rank + 2))]
    numbers = np.arange(images.size).reshape([images.shape[d] for d in order]).transpose(order)
    y = np.full((*images.shape[:2], *counts), lowest, x.dtype)
    where = np.full(y.shape, -1)
    windows = op.pool_windows()
    pairs = zip(slid(images, windows, counts, lowest), slid(numbers, windows, counts, -1))
    for (_, seen), (_, number) in pairs:
        larger = (where < 0) | (seen > y) | ((seen != seen) & (y == y))
        y = np.where(larger & (number >= 0), seen, y)
        where = np.where(larger & (number >= 0), number, where)
    return (
        in_order(y, op.letters, op.result_layout),
        in_order(where, op.letters, op.result_layout),
    )


def average(op: PoolOp, x: Array) -> Array:
    """Return the sum over the window, divided by the number of positions in x, or in the padded x."""
    images, counts = _images(op, x)
    windows = op.pool_windows()
    total = np.zeros((*images.shape[:2], *counts), sum_type(mean_type(x.dtype)))
    count = np.zeros(counts, total.dtype)
    counted, extents = windows, images.shape[2:]
    if op.count_include_pad:
        extents = [size + w.before + w.after for size, w in zip(extents, windows)]
        counted = [replace(window, before=0, after=0) for window in windows]
    for _, seen in slid(np.ones(extents, total.dtype), counted, counts, 0):
        count += seen
    for _, seen in slid(images.astype(total.dtype), windows, counts, 0):
        total += seen
    mean = quotient(total, np.maximum(count, 1))
    return in_order(mean.astype(x.dtype), op.letters, op.result_layout)


def adaptive(op: AdaptivePoolOp, x: Array) -> Array:
    """Return the maximum or mean of each part; the part p of h elements ends where the next one would begin
    if it were rounded up."""
    images, counts = _images(op, x)
    y = np.empty((*images.shape[:2], *counts), x.dtype)
    axes = tuple(range(2, images.ndim))
    for position in product(*map(range, counts)):
        part = [
            slice(p * size // count, -(-(p + 1) * size // count))
            for p, size, count in zip(position, images.shape[2:], counts)
        ]
        seen = images[(..., *part)]
        if isinstance(op, AdaptiveMaxPoolOp):
            y[(..., *position)] = np.max(seen, axes, initial=least(x.dtype))
        else:
            total = np.sum(seen, axes, sum_type(mean_type(x.dtype)))
            count = total.dtype.type(prod(seen.shape[2:]))
            y[(..., *position)] = quotient(total, count).astype(x.dtype)
    return in_order(y, op.letters, op.result_layout)


@register_impls
class PoolingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.pooling`."""

    max_pool1d = operator_with_attributes(MaxPool1dOp, largest)
    max_pool2d = operator_with_attributes(MaxPool2dOp, largest)
    max_pool3d = operator_with_attributes(MaxPool3dOp, largest)
    max_pool1d_with_indices = operator_with_attributes(MaxPool1dWithIndicesOp, largest_with_places)
    max_pool2d_with_indices = operator_with_attributes(MaxPool2dWithIndicesOp, largest_with_places)
    max_pool3d_with_indices = operator_with_attributes(MaxPool3dWithIndicesOp, largest_with_places)
    avg_pool1d = operator_with_attributes(AvgPool1dOp, average)
    avg_pool2d = operator_with_attributes(AvgPool2dOp, average)
    avg_pool3d = operator_with_attributes(AvgPool3dOp, average)
    adaptive_max_pool1d = operator_with_attributes(AdaptiveMaxPool1dOp, adaptive)
    adaptive_max_pool2d = operator_with_attributes(AdaptiveMaxPool2dOp, adaptive)
    adaptive_max_pool3d = operator_with_attributes(AdaptiveMaxPool3dOp, adaptive)
    adaptive_avg_pool1d = operator_with_attributes(AdaptiveAvgPool1dOp, adaptive)
    adaptive_avg_pool2d = operator_with_attributes(AdaptiveAvgPool2dOp, adaptive)
    adaptive_avg_pool3d = operator_with_attributes(AdaptiveAvgPool3dOp, adaptive)
