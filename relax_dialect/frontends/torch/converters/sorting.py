"""Sorting."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_dtypes import is_float
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("topk")
def topk(node: TorchNode) -> Any:
    count = int(node.number("k"))
    return op.topk(
        node.tensor(0), count, node.axis("dim"), "both", bool(node.arg("largest")), "i64"
    )


@converter("sort")
def sort(node: TorchNode) -> Any:
    x, axis, down = node.tensor(0), node.axis("dim"), bool(node.arg("descending"))
    if not node.rank(0):
        return [x, op.zeros([], "i64")]
    if not node.uses(1):
        return [op.sort(x, axis, down), None]
    order = node.emit(op.argsort(x, axis, down, "i64"))
    return [op.gather_elements(x, order, axis), order]


def in_order(node: TorchNode, axis: int, rank: Any) -> list[Any]:
    """Return the elements of a rank along an axis, and their indices."""
    x, keep = node.tensor(0), bool(node.arg("keepdim"))
    order = node.emit(op.argsort(x, axis, False, "i64"))
    pair = []
    for each in (op.gather_elements(x, order, axis), order):
        found = op.strided_slice(each, [axis], [rank], [rank + 1])
        pair.append(found if keep else op.squeeze(found, [axis]))
    return pair


@converter("kthvalue")
def kth_value(node: TorchNode) -> Any:
    return in_order(node, node.axis("dim"), int(node.number("k")) - 1)


@converter("median.default", "median.dim")
def median(node: TorchNode) -> Any:
    """The lower of the elements in the middle, and its index; NaN if there is one."""
    if node.overload == "default":
        flat = op.reshape(node.tensor(0), [symbolic.product(node.shape(0))])
        return _nan_or(node, op.sort(flat), 0, symbolic.product(node.shape(0)))
    axis = node.axis("dim")
    value, index = in_order(node, axis, (node.shape(0)[axis] - 1) // 2)
    if not is_float(node.dtype(0)):
        return [value, index]
    if node.uses(1):
        node.unsupported("the index of a median that may be NaN", "call kthvalue")
    found = _nan_or(node, op.sort(node.tensor(0), axis), axis, node.shape(0)[axis])
    return [op.reshape(found, node.shape_of(node.result[0])), None]


def _nan_or(node: TorchNode, ordered: Any, axis: int, count: Any) -> Any:
    """Return the median of sorted elements: NaN is the greatest, hence the last."""
    middle = op.strided_slice(ordered, [axis], [(count - 1) // 2], [(count - 1) // 2 + 1])
    if not is_float(node.dtype(0)):
        return op.squeeze(middle, [axis])
    last = op.strided_slice(ordered, [axis], [count - 1], [count])
    return op.squeeze(op.where(op.isnan(last), last, middle), [axis])


@converter("argsort")
def argsort(node: TorchNode) -> Any:
    return op.argsort(node.tensor(0), node.axis("dim"), bool(node.arg("descending")), "i64")
