"""Resize of a region that is known only at run time: elements taken along one axis after the other.

Element p of n is at `(start + p * (end - start) / (n - 1)) * (h - 1)` in an axis of h elements, at the
middle of the region if n is 1; outside of the axis, the result is the filler. (Regions that are known are
an attribute of `relax.resize2d` and its variants.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.run_time import sizes_vector
from relax_dialect.symbolic import Expr

ROUND: dict[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda c: op.ceil(op.add(c, -0.5)),
    "round_prefer_ceil": lambda c: op.floor(op.add(c, 0.5)),
    "floor": op.floor,
    "ceil": op.ceil,
}


def cropped(
    node: OnnxNode,
    region: Value,
    axes: Sequence[int],
    new: Sequence[Expr],
    options: Mapping[str, Any],
) -> Any:
    """Resize the parts of some axes between the first numbers of a region and the last to new sizes."""
    if options["method"] == "cubic" or options.get("antialias"):
        node.unsupported("mode cubic, or antialias, of a region that is known only at run time")
    dtype, x = node.dtype(0), node.tensor(0)
    outside: Any = None
    exact = dtype.kind == "f" or options["method"] == "nearest_neighbor"
    wide = {2: "f32", 4: "f32"}.get(dtype.itemsize, "f64") if exact else "f64"
    if options["method"] != "nearest_neighbor":
        x = node.emit(op.astype(x, wide))
    shape = list(node.shape(0))
    for number, (axis, size) in enumerate(zip(axes, new)):
        start, end = (
            op.strided_slice(region, [0], [i], [i + 1]) for i in (number, number + len(axes))
        )
        last = op.add(op.astype(sizes_vector(node, [shape[axis]]), "f64"), -1.0)
        found = node.emit(_coordinates(node, start, end, last, size))
        beyond = op.logical_or(op.less(found, 0.0), op.greater(found, last))
        beyond = op.reshape(beyond, [size, *[1] * (len(shape) - 1 - axis)])
        outside = node.emit(beyond if outside is None else op.logical_or(outside, beyond))
        x = node.emit(_taken(x, axis, found, last, wide, len(shape), size, options))
        shape[axis] = size
    y = x if exact else op.round(x)
    filler = np.asarray(options["extrapolation_value"]).astype(dtype)
    return op.where(outside, op.full([], filler), op.astype(y, dtype.name))


def _coordinates(node: OnnxNode, start: Any, end: Any, last: Any, size: Expr) -> Any:
    """Return the coordinates of the elements of an axis, in f64."""
    start, end = (op.astype(each, "f64") for each in (start, end))
    count = sizes_vector(node, [size])
    steps = op.astype(op.maximum(op.add(count, -1), np.int64(1)), "f64")
    step = op.divide(op.multiply(op.subtract(end, start), last), steps)
    middle = op.multiply(op.add(start, end), 0.5)
    first = op.multiply(op.where(op.equal(count, np.int64(1)), middle, start), last)
    return op.add(first, op.multiply(op.astype(op.arange(0, size, 1, "i64"), "f64"), step))


def _taken(
    x: Any,
    axis: int,
    found: Any,
    last: Any,
    dtype: str,
    rank: int,
    size: Expr,
    options: Mapping[str, Any],
) -> Any:
    """Interpolate between the elements next to coordinates; the elements at the ends are repeated."""

    def at(places: Any) -> Any:
        inside = op.maximum(op.minimum(places, last), 0.0)
        return op.take(x, op.astype(inside, "i64"), axis)

    if options["method"] == "nearest_neighbor":
        return at(ROUND[options["rounding_method"]](found))
    low = op.floor(found)
    across = [size, *[1] * (rank - 1 - axis)]
    rest = op.astype(op.reshape(op.subtract(found, low), across), dtype)
    near, far = at(low), at(op.add(low, 1.0))
    return op.add(op.multiply(near, op.add(op.negative(rest), 1.0)), op.multiply(far, rest))
