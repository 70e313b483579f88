"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.shapes import axes_of

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceL1": op.reduce_l1,
    "ReduceL2": op.reduce_l2,
    "ReduceLogSum": op.reduce_log_sum,
    "ReduceLogSumExp": op.logsumexp,
    "ReduceMax": op.max,
    "ReduceMean": op.mean,
    "ReduceMin": op.min,
    "ReduceProd": op.prod,
    "ReduceSum": op.sum,
    "ReduceSumSquare": op.reduce_sum_square,
}

OF_FRACTIONS = ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp")
"""Those that ours compute of floating-point numbers alone; of integers they are rounded towards 0."""

OF_ONE_ELEMENT: dict[str, Callable[..., Any]] = {
    "ReduceL1": op.abs,
    "ReduceL2": op.abs,
    "ReduceLogSum": op.log,
    "ReduceSumSquare": op.square,
}
"""What is left of a reduction over no axes, where it is not the element itself."""


@converter(*REDUCTIONS)
def reduction(node: Node) -> Any:
    x, axes = node.tensor(0), axes_of(node)
    if not axes and node.attr("noop_with_empty_axes", 0):
        return OF_ONE_ELEMENT.get(node.op_type, lambda x: x)(x)
    make, keepdims = REDUCTIONS[node.op_type], bool(node.attr("keepdims"))
    if node.op_type in ("ReduceMax", "ReduceMin"):
        return make(x, axes or None, keepdims, of_nothing=may_be_empty(node, axes))
    if node.op_type in OF_FRACTIONS and node.dtype(0).kind in "iu":
        return op.astype(make(op.astype(x, "f64"), axes or None, keepdims), node.dtype(0).name)
    return make(x, axes or None, keepdims)


def may_be_empty(node: Node, axes: list[int] | None) -> bool:
    """Whether there may be no element along some of the axes."""
    sizes = node.shape(0)
    return any((sizes[axis].bounds()[0] or 0) < 1 for axis in axes or range(len(sizes)))
