"""Normalizations."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("BatchNormalization")
def batch_normalization(node: OnnxNode) -> Any:
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
def local_response_normalization(node: OnnxNode) -> Any:
    """Convert an `LRN`; an even window has one more channel after the centre than before: ours, flipped."""
    x, size = node.tensor(0), node.attr("size")
    options = {"alpha": node.attr("alpha"), "beta": node.attr("beta"), "k": node.attr("bias")}
    if size % 2:
        return op.local_response_norm(x, size, **options)
    return op.flip(op.local_response_norm(op.flip(x, 1), size, **options), 1)


@converter("InstanceNormalization")
def instance_normalization(node: OnnxNode) -> Any:
    x, scale, bias = (node.tensor(i) for i in range(3))
    axes = list(range(2, node.rank(0)))
    return op.instance_norm(x, scale, bias, 1, axes, epsilon=node.attr("epsilon"))


@converter("GroupNormalization")
def group_normalization_of_groups(node: OnnxNode) -> Any:
    """Convert a `GroupNormalization` whose scale and bias are per group."""
    channels, groups = node.shape(0)[1], node.attr("num_groups")
    if channels.value is None or channels.value % groups:
        node.fail(f"channels that {groups} groups divide", str(channels), "fix them (dims={...})")
    each = channels.value // groups
    scale, bias = (op.repeat(node.tensor(i), each, 0) for i in (1, 2))
    return _group_norm(node, scale, bias)


@converter("GroupNormalization", since=21)
def group_normalization(node: OnnxNode) -> Any:
    return _group_norm(node, node.tensor(1), node.tensor(2))


def _group_norm(node: OnnxNode, scale: Any, bias: Any) -> Any:
    axes, epsilon = list(range(2, node.rank(0))), node.attr("epsilon")
    return op.group_norm(
        node.tensor(0), scale, bias, node.attr("num_groups"), 1, axes, epsilon=epsilon
    )


@converter("LayerNormalization", since=17)
def layer_normalization(node: OnnxNode) -> Any:
    """Convert a `LayerNormalization`; with the mean, or a scale that broadcasts, by ONNX's body."""
    shape = node.shape(0)
    axis = node.axis(len(shape))
    parameters = [i for i in (1, 2) if node.has(i)]
    plain = len([name for name in node.outputs if name]) == 1
    if not plain or any(node.shape(i) != shape[axis:] for i in parameters):
        return NotImplemented
    axes = list(range(axis - len(shape), 0))
    bias = node.tensor(2) if node.has(2) else op.zeros_like(node.tensor(1))
    options = {"epsilon": node.attr("epsilon"), "center": node.has(2)}
    return op.layer_norm(node.tensor(0), node.tensor(1), bias, axes, **options)


@converter("RMSNormalization", since=23)
def rms_normalization(node: OnnxNode) -> Any:
    shape = node.shape(0)
    axis = node.axis(len(shape))
    if node.shape(1) != shape[axis:]:
        return NotImplemented
    axes = list(range(axis - len(shape), 0))
    return op.rms_norm(node.tensor(0), node.tensor(1), axes, epsilon=node.attr("epsilon"))


@converter("LpNormalization")
def lp_normalization(node: OnnxNode) -> Any:
    """Convert an `LpNormalization`; slices that are zero remain zero."""
    x, axis = node.tensor(0), node.axis(node.rank(0))
    make = op.reduce_l1 if node.attr("p") == 1 else op.reduce_l2
    length = node.emit(make(x, [axis], True))
    return op.where(op.equal(length, 0.0), 0.0, op.divide(x, length))
