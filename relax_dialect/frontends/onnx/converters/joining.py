"""Tensors put together, and taken apart."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter


@converter("Concat")
def concat(node: Node) -> Any:
    tensors = node.tensors()
    return op.concat(
        tensors, node.axis(node.rank(0), default=1 if node.opset < 4 else node.attr("axis"))
    )
