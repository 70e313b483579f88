"""Channels and pixels."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter


@converter("DepthToSpace")
def depth_to_space(node: Node) -> Any:
    return op.depth_to_space(node.tensor(0), node.attr("blocksize"), node.attr("mode", "DCR"))


@converter("SpaceToDepth")
def space_to_depth(node: Node) -> Any:
    return op.space_to_depth(node.tensor(0), node.attr("blocksize"))
