"""Functions of three elements."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("Where")
def where(node: OnnxNode) -> Any:
    return op.where(*(node.tensor(i) for i in range(3)))


@converter("Clip")
def clip_by_attributes(node: OnnxNode) -> Any:
    return op.clip(node.tensor(0), node.attr("min", None), node.attr("max", None))


@converter("Clip", since=11)
def clip(node: OnnxNode) -> Any:
    """Convert a `Clip`; known bounds are attributes of the operator, others are compared with."""
    known = [node.known(i) for i in (1, 2)]
    if all(k is not None or not node.has(i) for i, k in zip((1, 2), known)):
        return op.clip(node.tensor(0), *(None if k is None else k.item() for k in known))
    y: Any = node.tensor(0)
    if node.has(1):
        y = op.maximum(y, node.tensor(1))
    return op.minimum(y, node.tensor(2)) if node.has(2) else y
