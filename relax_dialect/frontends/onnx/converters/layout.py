"""Channels and pixels."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("DepthToSpace")
def depth_to_space(node: OnnxNode) -> Any:
    return op.depth_to_space(node.tensor(0), node.attr("blocksize"), node.attr("mode", "DCR"))


@converter("SpaceToDepth")
def space_to_depth(node: OnnxNode) -> Any:
    """Convert a `SpaceToDepth`; in mode "CRD" the channel comes before the position in its block."""
    x, block = node.tensor(0), node.attr("blocksize")
    y = op.space_to_depth(x, block)
    if node.attr("mode", "DCR") == "DCR":
        return y
    n, c, h, w = node.shape(0)
    split = op.reshape(y, [n, block, block, c, h // block, w // block])
    sizes = [n, c * block * block, h // block, w // block]
    return op.reshape(op.permute_dims(split, [0, 3, 1, 2, 4, 5]), sizes)
