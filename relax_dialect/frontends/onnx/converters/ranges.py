"""Tensors from ranges of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.imported_values import Known
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr


@converter("Range")
def arange(node: OnnxNode) -> Any:
    """Convert a `Range` between symbolic sizes, or between numbers computed at run time."""
    if node.folds and isinstance(node.input(2), Known) and node.dtype(0).kind == "i":
        (start,), (end,), (step,) = (node.sizes(i) for i in range(3))
        if step.value:
            return op.arange(start, end, step.value, node.dtype(0).name)
    start, end, step = (node.tensor(i) for i in range(3))
    difference = op.subtract(end, start)
    if node.dtype(0).kind == "f":
        count: Any = op.astype(op.ceil(op.divide(difference, step)), "i64")
    else:
        wide = op.astype(difference, "i64"), op.astype(step, "i64")
        count = op.negative(op.floor_divide(op.negative(wide[0]), wide[1]))
    length = op.reshape(op.maximum(count, np.zeros((), np.int64)), [1])
    size = node.fresh_size(f"{node.outputs[0]}_0")
    node.context.builder.match_shape(node.emit(op.tensor_to_shape(length)), [size])
    places = op.astype(op.arange(0, size, 1, "i64"), node.dtype(0).name)
    return op.add(start, op.multiply(places, step))


@converter("OneHot")
def one_hot(node: OnnxNode) -> Any:
    """Convert a `OneHot`; negative indices count from the end."""
    depth = node.size(1)
    rank = node.rank(0)
    indices: Any = op.astype(node.tensor(0), "i64")
    size = op.reshape(op.shape_to_tensor(op.shape([depth])), [])
    places = node.emit(op.where(op.less(indices, 0), op.add(indices, size), indices))
    values = node.tensor(2)
    off, on = (op.take(values, np.array(i), 0) for i in range(2))
    return op.where(is_at(places, rank, depth, node.axis(rank + 1)), on, off)


def is_at(places: Any, rank: int, depth: Expr, axis: int) -> Any:
    """Returns, elementwise, whether an index along a new axis equals an element of `places`."""
    numbers = op.reshape(op.arange(0, depth, 1, "i64"), [depth, *[1] * (rank - axis)])
    return op.equal(op.expand_dims(places, [axis]), numbers)
