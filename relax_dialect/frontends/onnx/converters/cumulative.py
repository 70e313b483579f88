"""Sums so far."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter


@converter("CumSum", "CumProd")
def cumulative(node: Node) -> Any:
    make = op.cumsum if node.op_type == "CumSum" else op.cumprod
    (axis,) = node.ints(1)
    x: Any = node.tensor(0)
    axis = node.checked_axis(axis, node.rank(0))
    if not node.attr("reverse"):
        return make(x, axis, exclusive=bool(node.attr("exclusive")))
    return op.flip(make(op.flip(x, axis), axis, exclusive=bool(node.attr("exclusive"))), axis)
