"""Operators that return the indices of elements."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("ArgMax", "ArgMin")
def arg_extremum(node: OnnxNode) -> Any:
    make = op.argmax if node.op_type == "ArgMax" else op.argmin
    shape = node.shape(0)
    axis, keepdims = node.axis(len(shape)), bool(node.attr("keepdims"))
    if not node.attr("select_last_index", 0):
        return make(node.tensor(0), axis, keepdims)
    last = op.reshape(op.shape_to_tensor(op.shape([shape[axis] - 1])), [])
    return op.subtract(last, make(op.flip(node.tensor(0), axis), axis, keepdims))


@converter("NonZero")
def nonzero(node: OnnxNode) -> Any:
    return op.nonzero(node.tensor(0))


@converter("Unique")
def unique(node: OnnxNode) -> Any:
    """Convert a `Unique`; the optional results are computed if they are named."""
    wanted = [name != "" for name in node.outputs[1:]] + [False] * 3
    found = node.emit(
        op.unique(
            node.tensor(0), sorted=bool(node.attr("sorted")), return_index=wanted[0],
            return_inverse=wanted[1], return_counts=wanted[2], axis=node.attr("axis", None),
        )
    )  # fmt: skip
    first, *others = found if isinstance(found, tuple) else (found,)
    rest = iter(others)
    return (first, *(next(rest) if want else None for want in wanted[: len(node.outputs) - 1]))
