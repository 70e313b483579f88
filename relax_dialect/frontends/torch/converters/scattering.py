"""Elements scattered to indices, and sums of rows by bags."""

from __future__ import annotations

import math
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_dtypes import is_float
from relax_dialect.frontends.torch.torch_node import TorchNode, equal_shapes

REDUCTIONS = {
    "add": "add",
    "amax": "max",
    "amin": "min",
    "mean": "add",
    "multiply": "mul",
    "prod": "mul",
    "sum": "add",
}
"""PyTorch's reductions of scatters, and ours."""

BAGS = ("add", "add", "max")
"""The reductions of bags of rows by PyTorch's number: sum, mean, max."""


def identity(reduction: str, dtype: str) -> Any:
    """Return the number that a reduction does not change."""
    if reduction in ("add", "mul"):
        number = 0 if reduction == "add" else 1
        return float(number) if is_float(dtype) else number
    if is_float(dtype):
        return -math.inf if reduction == "max" else math.inf
    bits = int(dtype.lstrip("ui"))
    low, high = (0, 2**bits - 1) if dtype[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return low if reduction == "max" else high


def updates(node: TorchNode, key: str) -> Value:
    """Return the updates of a scatter: as many as there are indices, of which there may be fewer."""
    shape, given = node.shape("index"), node.meta(key)
    value = node.tensor(key, node.out_dtype)
    if not hasattr(given, "shape") or len(given.shape) != len(shape):
        return node.emit(op.broadcast_to(value, shape))
    if equal_shapes(node.shape(key), shape):
        return value
    axes = list(range(len(shape)))
    return node.emit(op.strided_slice(value, axes, [0] * len(axes), shape))


@converter("scatter", "scatter_add")
def scatter(node: TorchNode) -> Any:
    name = node.arg("reduce", "add" if node.operator == "scatter_add" else None)
    key = "src" if "src" in node.arguments else "value"
    reduction = "update" if name is None else REDUCTIONS[name]
    if not node.rank(0):
        node.unsupported("a tensor of rank 0")
    return op.scatter_elements(
        node.tensor(0), node.tensor("index"), updates(node, key), node.axis("dim"), reduction
    )


@converter("scatter_reduce.two")
def scatter_reduce(node: TorchNode) -> Any:
    """A reduction of the elements at each index, with the one that is there or without it."""
    name, dtype, axis = node.arg("reduce"), node.out_dtype, node.axis("dim")
    reduction, has_self = REDUCTIONS[name], node.arg("include_self") is not False
    index, values = node.tensor("index"), updates(node, "src")

    def scattered(data: Any, elements: Any, how: str) -> Any:
        return op.scatter_elements(data, index, elements, axis, how)

    data = node.tensor(0)
    if not has_self:
        data = scattered(
            data, op.full_like(values, const(identity(reduction, dtype), dtype)), "update"
        )
    found = scattered(data, values, reduction)
    if name != "mean":
        return found
    start, one = (op.ones if has_self else op.zeros)(node.shape(0), dtype), op.ones_like(values)
    count = op.maximum(scattered(start, one, "add"), op.ones(node.shape(0), dtype))
    return (op.divide if node.is_float else op.floor_divide)(found, count)


@converter("index_add", "index_copy", "index_fill")
def index_add(node: TorchNode) -> Any:
    axis, rank = node.axis("dim"), node.rank(0)
    (count,) = node.shape("index") or [symbolic.const(1)]
    shape = [*node.shape(0)]
    shape[axis] = count
    column = op.reshape(node.tensor("index"), [count if i == axis else 1 for i in range(rank)])
    key = "value" if node.operator == "index_fill" else "source"
    value: Any = node.tensor(key, node.out_dtype)
    if node.arg("alpha", 1) != 1:
        value = op.multiply(value, node.as_tensor(node.arg("alpha"), node.out_dtype))
    reduction = "add" if node.operator == "index_add" else "update"
    return op.scatter_elements(
        node.tensor(0),
        op.broadcast_to(column, shape),
        op.broadcast_to(value, shape),
        axis,
        reduction,
    )


@converter("_embedding_bag", "_embedding_bag_forward_only")
def embedding_bag(node: TorchNode) -> Any:
    """Rows of a table, reduced by bags: the bag of a row is that of the last offset up to it."""
    if any(map(node.uses, (1, 2, 3))):
        node.unsupported("the statistics of bags")
    mode, dtype = int(node.number("mode")), node.dtype(0)
    indices, offsets = node.tensor("indices", "i64"), node.tensor("offsets", "i64")
    (rows,), (bags, width) = node.shape("indices"), node.shape_of(node.result[0])
    bag = op.subtract(
        op.searchsorted(offsets, op.arange(0, rows, 1, dtype="i64"), right=True), const(1, "i64")
    )
    table = op.broadcast_to(op.reshape(bag, [rows, 1]), [rows, width])
    values = op.take(node.tensor(0), indices, 0)
    if node.arg("per_sample_weights") is not None:
        values = op.multiply(values, op.reshape(node.tensor("per_sample_weights"), [rows, 1]))
    index, values = node.emit(table), node.emit(values)
    start = node.full([bags, width], identity(BAGS[mode], dtype), dtype)
    found = op.scatter_elements(start, index, values, 0, BAGS[mode])
    if mode:
        ones = op.ones_like(values)
        count = node.emit(
            op.scatter_elements(op.zeros([bags, width], dtype), index, ones, 0, "add")
        )
        zero, one = const(0.0, dtype), const(1.0, dtype)
        found = op.divide(found, op.maximum(count, one)) if mode == 1 else found
        found = op.where(op.equal(count, zero), zero, found)
    return [found, *[None] * 3]
