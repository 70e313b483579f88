"""Parameters of nodes that are known only at run time: axes, bounds, shapes.

They are vectors of i64 of known length and are computed by arithmetic on such vectors; the resulting sizes
get fresh names that are checked at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.imported_values import Shape, vector
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.symbolic import Expr

I64 = np.int64


def is_at_run_time(node: OnnxNode, place: int) -> bool:
    """Returns whether an input is a value of the program."""
    return node.has(place) and node.known(place) is None and isinstance(node.input(place), Value)


def numbers(node: OnnxNode, place: int) -> Value:
    """Return an input as a vector of i64."""
    return node.emit(op.reshape(op.astype(node.tensor(place), "i64"), [node.count(place)]))


def sizes_vector(node: OnnxNode, shape: Sequence[Expr]) -> Value:
    """Return sizes as a vector of i64."""
    return node.context.placed(vector(shape))


def axes_of(node: OnnxNode, place: int, rank: int) -> Value:
    """Return axes, counted from the front."""
    axes = numbers(node, place)
    return node.emit(op.where(op.less(axes, I64(0)), op.add(axes, I64(rank)), axes))


def marked(node: OnnxNode, axes: Value, rank: int) -> Value:
    """Return, for each axis of a rank, 1 if it is among the axes, else 0."""
    places = op.expand_dims(axes, [1])
    ones = op.full([node.shape_of(axes)[0]], I64(1))
    return node.emit(op.scatter_nd(np.zeros(rank, I64), places, ones, "update"))


def not_marked(node: OnnxNode, marks: Value, rank: int, count: int) -> Value:
    """Return the `count` axes that are not marked, in order."""
    keys = op.add(op.multiply(marks, I64(rank)), np.arange(rank))
    order = op.argsort(keys, dtype="i64")
    return node.emit(op.strided_slice(order, [0], [0], [count]))


def taken(node: OnnxNode, values: Value, places: Any) -> Value:
    return node.emit(op.take(values, places, 0))


def without_axes(node: OnnxNode, x: Any, shape: Shape, marks: Value, count: int) -> Any:
    """Drop the `count` marked axes of a tensor, all of size 1."""
    rank = len(shape)
    kept = not_marked(node, marks, rank, rank - count)
    sizes = node.sizes_from(taken(node, sizes_vector(node, shape), kept), rank - count)
    return op.reshape(x, sizes)


def squeezed(node: OnnxNode) -> Any:
    """Convert a `Squeeze`."""
    shape = node.shape(0)
    marks = marked(node, axes_of(node, 1, len(shape)), len(shape))
    return without_axes(node, node.tensor(0), shape, marks, node.count(1))


def unsqueezed(node: OnnxNode) -> Any:
    """Convert an `Unsqueeze`."""
    shape = node.shape(0)
    rank = len(shape) + node.count(1)
    kept = not_marked(node, marked(node, axes_of(node, 1, rank), rank), rank, len(shape))
    ones, places = np.ones(rank, I64), op.expand_dims(kept, [1])
    found = node.emit(op.scatter_nd(ones, places, sizes_vector(node, shape), "update"))
    return op.reshape(node.tensor(0), node.sizes_from(found, rank))


def reshaped(node: OnnxNode) -> Any:
    """Convert a `Reshape`: 0 is the old size, -1 the size that remains."""
    old, wanted = node.shape(0), numbers(node, 1)
    count = node.count(1)
    if not node.attr("allowzero", 0):
        same = sizes_vector(node, [*old, *[1] * count][:count])
        wanted = node.emit(op.where(op.equal(wanted, I64(0)), same, wanted))
    is_left = op.equal(wanted, I64(-1))
    others = op.maximum(op.prod(op.where(is_left, I64(1), wanted)), I64(1))
    total = op.prod(sizes_vector(node, old))
    found = node.emit(op.where(is_left, op.floor_divide(total, others), wanted))
    return op.reshape(node.tensor(0), node.sizes_from(found, count))


def sliced(node: OnnxNode) -> Any:
    """Convert a `Slice`, for every axis of x; a begin is at least 0, even for negative steps."""
    shape = node.shape(0)
    rank, count = len(shape), node.count(1)
    starts, ends = numbers(node, 1), numbers(node, 2)
    axes: Any = np.arange(count)
    if node.has(3):
        axes = axes_of(node, 3, rank)
    steps: Any = numbers(node, 4) if node.has(4) else np.ones(count, I64)
    lengths = op.take(sizes_vector(node, shape), axes, 0)
    first = op.maximum(op.add(starts, lengths), I64(0))
    begins = op.where(op.less(starts, I64(0)), first, starts)
    places = op.expand_dims(node.emit(axes), [1])
    sides = [
        op.scatter_nd(np.full(rank, default, I64), places, given, "update")
        for default, given in ((0, begins), (np.iinfo(I64).max, ends), (1, steps))
    ]
    return op.dynamic_strided_slice(node.tensor(0), *sides)


def padded(node: OnnxNode, mode: str, fill: Any) -> Any:
    """Convert a `Pad`: each axis is gathered from itself; negative widths crop."""
    shape, x = node.shape(0), node.tensor(0)
    rank, count = len(shape), node.count(1) // 2
    axes: Any = axes_of(node, 3, rank) if node.has(3) else node.emit(np.arange(count))
    widths, places, zeros = numbers(node, 1), op.expand_dims(axes, [1]), np.zeros(rank, I64)
    before, after = (
        node.emit(op.scatter_nd(zeros, places, taken(node, widths, side), "update"))
        for side in np.arange(2 * count).reshape(2, count)
    )
    lengths = sizes_vector(node, shape)
    sizes = node.sizes_from(node.emit(op.add(op.add(lengths, before), after)), rank)
    for axis in range(rank):
        first, n = (op.strided_slice(v, [0], [axis], [axis + 1]) for v in (before, lengths))
        at = op.subtract(op.arange(0, sizes[axis], dtype="i64"), first)
        last = op.subtract(n, I64(1))
        near = op.maximum(op.minimum(at, last), I64(0))
        if mode == "circular":
            near = op.floor_mod(at, n)
        elif mode == "reflect":
            there_and_back = op.maximum(op.multiply(last, I64(2)), I64(1))
            there = op.floor_mod(at, there_and_back)
            near = op.minimum(there, op.subtract(there_and_back, there))
        x = node.emit(op.take(x, near, axis))
        if mode == "constant":
            is_inside = op.expand_dims(op.equal(near, at), list(range(1, rank - axis)))
            x = node.emit(op.where(is_inside, x, fill))
    return x


def reduced(
    node: OnnxNode, x: Any, reduce: Callable[[Any, Sequence[int]], Any], keepdims: bool
) -> Any:
    """Return a reduction over axes: over each axis separately, selected if it is among them.

    `reduce` keeps the axes; over several it is what it is over one after the other.
    """
    shape = node.shape(0)
    rank = len(shape)
    marks = marked(node, axes_of(node, 1, rank), rank)
    ones = op.where(op.equal(marks, I64(1)), I64(1), sizes_vector(node, shape))
    kept = node.sizes_from(node.emit(ones), rank)
    for axis in range(rank):
        both = op.concat([reduce(x, [axis]), x], axis)
        first = op.subtract(I64(1), op.strided_slice(marks, [0], [axis], [axis + 1]))
        x = node.emit(op.take(both, op.add(op.arange(0, kept[axis], dtype="i64"), first), axis))
    return x if keepdims else without_axes(node, x, kept, marks, node.count(1))
