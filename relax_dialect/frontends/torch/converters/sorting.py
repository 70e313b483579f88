"""Sorting."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.node import TorchNode
from relax_dialect.frontends.torch.registry import converter


@converter("topk")
def topk(node: TorchNode) -> Any:
    count = int(node.number("k"))
    return op.topk(node.tensor(0), count, node.axis("dim"), "both", bool(node.arg("largest")), "i64")


@converter("sort")
def sort(node: TorchNode) -> Any:
    x, axis, down = node.tensor(0), node.axis("dim"), bool(node.arg("descending"))
    if not node.rank(0):
        return [x, op.zeros([], "i64")]
    if not node.uses(1):
        return [op.sort(x, axis, down), None]
    order = node.emit(op.argsort(x, axis, down, "i64"))
    return [op.gather_elements(x, order, axis), order]


@converter("argsort")
def argsort(node: TorchNode) -> Any:
    return op.argsort(node.tensor(0), node.axis("dim"), bool(node.arg("descending")), "i64")
