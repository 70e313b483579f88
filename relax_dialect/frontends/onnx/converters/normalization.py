"""Normalizations."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter


@converter("BatchNormalization")
def batch_normalization(node: Node) -> Any:
    if node.opset < 9 and not node.attr("spatial", 1):
        node.unsupported("spatial=0")
    training = bool(node.attr("training_mode", 0))
    if node.opset < 7:
        training = not node.attr("is_test", 0)
    x, scale, bias, mean, var = (node.tensor(i) for i in range(5))
    # ONNX's momentum is that of the old statistics, ours that of the new ones.
    found = op.batch_norm(
        x, scale, bias, mean, var,
        epsilon=node.attr("epsilon"), momentum=1 - node.attr("momentum"), training=training,
    )  # fmt: skip
    y, new_mean, new_var = node.emit(found)
    if len(node.outputs) > 1 and not training:
        node.unsupported("statistics as outputs of a node that is not in training mode")
    return (y, new_mean, new_var)[: len(node.outputs)]


@converter("LRN")
def local_response_normalization(node: Node) -> Any:
    return op.local_response_norm(
        node.tensor(0), node.attr("size"),
        alpha=node.attr("alpha"), beta=node.attr("beta"), k=node.attr("bias"),
    )  # fmt: skip


@converter("Dropout")
def dropout(node: Node) -> Any:
    if node.opset < 7 and not node.attr("is_test", 0):
        node.unsupported("training mode")
    if node.opset >= 12 and node.has(2) and node.array(2).any():
        ratio = node.known(1) if node.has(1) else None
        if ratio is None or ratio.any():
            node.unsupported("training mode")
    x = node.tensor(0)
    if len(node.outputs) == 1:
        return x
    shape = op.shape(node.shape(0))
    return x, op.ones(shape, "i1" if node.opset >= 10 else node.dtype(0))
