"""Adjoints of pools: the cotangent of a maximum goes to its index, that of a mean to all its elements.
Max pools in two dimensions, which have dedicated backward operators, are in `backward.py`."""

from __future__ import annotations

import math
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.adjoints.convolution import permuted, spread
from relax_dialect.gradient.one_to_one_reads import added_at, number
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ops import pooling as ops
from relax_dialect.ops.windows import LayoutOp, Window
from relax_dialect.symbolic import Expr


def sizes_in_order(of: Applied[LayoutOp]) -> list[Expr]:
    """The sizes of x with batch and channels first."""
    sizes = dict(zip(of.op.x_layout, of.sizes()))
    return [sizes[letter] for letter in of.op.letters]


# Maxima ------------------------------------------------------------------------------------------


def _may_be_empty(window: Window) -> bool:
    """Return whether a window may lie beside all elements of x."""
    reach = window.reach
    assert reach is not None and reach.value is not None
    padding = max(window.before, window.after)
    return padding > reach.value or (padding > 0 and window.dilation > 1)


def _at_maxima(of: Applied[ops.PoolOp], places: Any, gy: Any) -> Any:
    may_miss = of.op.ceil_mode or any(map(_may_be_empty, of.op.pool_windows()))
    found = added_at(sizes_in_order(of), of.type().dtype, places, gy, may_miss=may_miss)
    return permuted(found, of.op.letters, of.op.x_layout)


@adjoint(ops.MaxPool1dOp, ops.MaxPool3dOp)
def max_pool(of: Applied[ops.MaxPoolOp], gy: Any) -> Any:
    """To the first of the equal maxima of a window, whose index is recomputed."""
    this = of.op
    found = getattr(op, f"max_pool{len(this.SPATIAL)}d_with_indices")(
        of.x,
        this.pool_size,
        this.strides,
        this.padding,
        this.dilation,
        this.ceil_mode,
        layout=this.x_layout,
        out_layout=this.result_layout,
    )
    return _at_maxima(of, found[1], gy)


@adjoint(ops.MaxPool1dWithIndicesOp, ops.MaxPool2dWithIndicesOp, ops.MaxPool3dWithIndicesOp)
def indexed_max_pool(of: Applied[ops.IndexedMaxPoolOp], gy: Any, *_: Any) -> Any:
    """To the first of the equal maxima of a window, whose index is the second result."""
    if not of.op.column_major:
        return _at_maxima(of, of.outputs[1], gy)
    sizes = sizes_in_order(of)
    elements = op.reshape(op.arange(0, symbolic.product(sizes), 1), sizes)
    order = [0, 1, *reversed(range(2, len(sizes)))]
    rows = op.reshape(op.permute_dims(elements, order), [-1])
    places = of.outputs[1]
    found = op.where(places >= 0, op.take(rows, places, 0, "clip"), op.full_like(places, -1))
    return _at_maxima(of, found, gy)


# Means -------------------------------------------------------------------------------------------


@adjoint(ops.AvgPool1dOp, ops.AvgPool3dOp)
def avg_pool(of: Applied[ops.AveragePoolOp], gy: Any) -> Any:
    """The cotangent over the number of elements, spread over the window."""
    this, windows, dtype = of.op, of.op.pool_windows(), of.type().dtype
    batch, channels, *spatial = sizes_in_order(of)
    gy = permuted(gy, this.result_layout, this.letters)
    counts = [w.count(size, this.ceil_mode) for w, size in zip(windows, spatial)]
    for axis, (window, count, size) in enumerate(zip(windows, counts, spatial)):
        assert count is not None and window.size is not None and window.size.value is not None
        if this.ceil_mode or ((window.before or window.after) and not this.count_include_pad):
            after = list(range(1, len(windows) - axis))
            seen = _seen(window, count, size, this.count_include_pad).astype(dtype)
            gy = gy / (op.expand_dims(seen, after) if after else seen)
        else:
            gy = gy * (1 / window.size.value)
    if all(_tiles(*each) for each in zip(windows, counts, spatial)):
        for axis, window in enumerate(windows, 2):
            gy = op.repeat(gy, window.stride, axis) if window.stride > 1 else gy
        return permuted(gy, this.letters, this.x_layout)
    sizes = dict(zip(this.letters, (batch * channels, symbolic.const(1), *spatial)))
    ones = op.ones([1, 1, *(w.size for w in windows)], dtype)
    planes = op.reshape(gy, [sizes["N"], 1, *counts])
    found = spread(planes, ones, windows, sizes, dtype, ceil_mode=this.ceil_mode)
    return permuted(op.reshape(found, [batch, channels, *spatial]), this.letters, this.x_layout)


def _seen(window: Window, count: Expr, size: Expr, with_padding: bool) -> Any:
    """Return the number of elements in each window along an axis, at least 1: of x, or of x and its
    padding."""
    assert window.size is not None
    first = op.expand_dims(op.arange(0, count, 1) * window.stride, [1])
    places = first + op.arange(0, window.size, 1) * window.dilation - window.before
    low, high = (-window.before, size + window.after) if with_padding else (0, size)
    inside = op.logical_and(places >= low, places < number(symbolic.as_expr(high), "i64"))
    return op.maximum(op.sum(inside.astype("i64"), [1]), 1)


def _tiles(window: Window, count: Any, size: Expr) -> bool:
    """Return whether windows lie one beside the other and cover an axis."""
    apart = window.dilation > 1 or window.before or window.after
    own = window.size is not None and window.size.value == window.stride
    return own and not apart and count is not None and count * window.stride == size


# Parts -------------------------------------------------------------------------------------------


def _parts(of: Applied[ops.AdaptivePoolOp]) -> list[tuple[Any, Any]]:
    """Which elements of each spatial axis the parts have, [parts, size], and how many [parts, 1]."""
    found: list[tuple[Any, Any]] = []
    sizes = sizes_in_order(of)
    for size, parts in zip(sizes[2:], of.op.extents(dict(zip(of.op.letters, sizes)))):
        assert parts is not None
        part, length, count = op.arange(0, parts, 1), number(size, "i64"), number(parts, "i64")
        start = op.expand_dims(op.floor_divide(part * length, count), [1])
        end = op.expand_dims(op.floor_divide((part + 1) * length + (count - 1), count), [1])
        place = op.arange(0, size, 1)
        found.append((op.logical_and(place >= start, place < end), end - start))
    return found


@adjoint(ops.AdaptiveAvgPool1dOp, ops.AdaptiveAvgPool2dOp, ops.AdaptiveAvgPool3dOp)
def adaptive_avg_pool(of: Applied[ops.AdaptiveAveragePoolOp], gy: Any) -> Any:
    """For each axis the product with the matrix whose rows are the parts' shares."""
    this, dtype = of.op, of.type().dtype
    gy = permuted(gy, this.result_layout, this.letters)
    if this.output_size is not None and set(this.output_size) == {1}:
        sizes = sizes_in_order(of)
        shared = gy / number(symbolic.product(sizes[2:]), dtype)
        return permuted(op.broadcast_to(shared, sizes), this.letters, this.x_layout)
    if this.output_size is not None:
        for axis, (mask, count) in enumerate(_parts(of), 2):
            gy = along(gy, mask.astype(dtype) / count.astype(dtype), axis, 2 + len(this.SPATIAL))
    return permuted(gy, this.letters, this.x_layout)


def along(x: Any, matrix: Any, axis: int, rank: int) -> Any:
    """A product along an axis of x with the rows of a matrix."""
    letters = "abcdef"[:rank]
    return op.einsum(
        [x, matrix], f"{letters},{letters[axis]}z->{letters.replace(letters[axis], 'z')}"
    )


@expansion(ops.AdaptiveMaxPool1dOp, ops.AdaptiveMaxPool2dOp, ops.AdaptiveMaxPool3dOp)
def adaptive_max_pool(of: Applied[ops.AdaptiveMaxPoolOp]) -> Any:
    """Axis by axis the first maximum of each part."""
    this = of.op
    x = permuted(of.x, this.x_layout, this.letters)
    if this.output_size is not None:
        rank = 2 + len(this.SPATIAL)
        for axis, (mask, _) in reversed(list(enumerate(_parts(of), 2))):
            x = first_maxima(x, mask, axis, rank)
    return permuted(x, this.letters, this.result_layout)


def first_maxima(x: Any, mask: Any, axis: int, rank: int) -> Any:
    """Along an axis of x the first maximum of the elements in each row of a mask [..., parts, size] that
    broadcasts to x with that axis as the last one; minus infinity where a row is empty."""
    last = [a for a in range(rank) if a != axis]
    apart = op.expand_dims(op.permute_dims(x, [*last, axis]), [rank - 1])
    masked = op.where(mask, apart, -math.inf)
    found = op.gather_elements(masked, op.argmax(masked, -1, True), -1)
    moved = op.squeeze(found, [-1])
    return op.permute_dims(moved, [*range(axis), rank - 1, *range(axis, rank - 1)])
