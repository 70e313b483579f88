"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx import run_time
from relax_dialect.frontends.onnx.evaluation.shapes import axes_of
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

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
"""Reductions that ours compute only of floating-point numbers; results for integers are rounded towards
0."""

OF_ONE_ELEMENT: dict[str, Callable[..., Any]] = {
    "ReduceL1": op.abs,
    "ReduceL2": op.abs,
    "ReduceLogSum": op.log,
    "ReduceSumSquare": op.square,
}
"""The results of reductions over no axes, if that is not the element itself."""


def _same(x: Any) -> Any:
    return x


IN_STEPS = {"ReduceSumSquare": (op.square, op.sum, _same), "ReduceLogSum": (_same, op.sum, op.log)}
"""Reductions that do not compose over single axes: the functions before, of and after the reduction."""


@converter(*REDUCTIONS)
def reduction(node: OnnxNode) -> Any:
    x, keepdims = node.tensor(0), bool(node.attr("keepdims"))
    is_rounded = node.op_type in OF_FRACTIONS and node.dtype(0).kind in "iu"
    if is_rounded:
        x = node.emit(op.astype(x, "f64"))
    if run_time.is_at_run_time(node, 1):
        before, fold, after = IN_STEPS.get(node.op_type, (_same, _made(node, None), _same))
        y = run_time.reduced(node, before(x), lambda x, axes: fold(x, axes, True), keepdims)
        found: Any = after(y)
    else:
        found = _of_known_axes(node, x, keepdims)
    return op.astype(found, node.dtype(0).name) if is_rounded else found


def _of_known_axes(node: OnnxNode, x: Any, keepdims: bool) -> Any:
    axes = axes_of(node)
    if not axes and node.attr("noop_with_empty_axes", 0):
        return OF_ONE_ELEMENT.get(node.op_type, _same)(x)
    return _made(node, axes)(x, axes or None, keepdims)


def _made(node: OnnxNode, axes: list[int] | None) -> Callable[..., Any]:
    """Return the reduction; a maximum or minimum of nothing is defined if there may be no elements."""
    make = REDUCTIONS[node.op_type]
    if node.op_type in ("ReduceMax", "ReduceMin"):
        return partial(make, of_nothing=may_be_empty(node, axes))
    return make


def may_be_empty(node: OnnxNode, axes: list[int] | None) -> bool:
    """Returns whether some of the axes may be empty."""
    sizes = node.shape(0)
    return any((sizes[axis].bounds()[0] or 0) < 1 for axis in axes or range(len(sizes)))
