"""Sums so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("CumSum", "CumProd")
def cumulative(node: OnnxNode) -> Any:
    """Convert a `CumSum`; for an axis computed at run time, select from the results along all axes."""
    rank = node.rank(0)
    if node.known(1) is not None:
        return _along(node, node.checked_axis(node.array(1).item(), rank))
    axis = node.scalar(1)
    wanted = node.emit(
        op.where(op.less(axis, 0), op.add(axis, np.array(rank, node.dtype(1))), axis)
    )
    found = _along(node, 0)
    for i in range(1, rank):
        is_wanted = op.equal(wanted, np.array(i, node.dtype(1)))
        found = op.where(is_wanted, _along(node, i), found)
    return found


def _along(node: OnnxNode, axis: int) -> Any:
    make = op.cumsum if node.op_type == "CumSum" else op.cumprod
    x: Any = node.tensor(0)
    if not node.attr("reverse"):
        return make(x, axis, exclusive=bool(node.attr("exclusive")))
    return op.flip(make(op.flip(x, axis), axis, exclusive=bool(node.attr("exclusive"))), axis)
