"""Fused normalizations, and normalizations that ONNX Runtime has in more opsets than ONNX."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("LayerNormalization")
def layer_normalization(node: OnnxNode) -> Any:
    """Convert a `LayerNormalization`, which ONNX Runtime's optimizer writes in models of any opset."""
    return _normalized(node, node.tensor(0), 1, node.optional(2), node.attr("epsilon", 1e-5))


@converter("SimplifiedLayerNormalization")
def simplified_layer_normalization(node: OnnxNode) -> Any:
    found = _rms(node, node.tensor(0), 1, node.attr("epsilon", 1e-5))
    return _one_output(node, found)


def _one_output(node: OnnxNode, found: Any) -> Any:
    if any(node.outputs[1:]):
        node.unsupported("mean or deviation as outputs")
    return found


def _axes(node: OnnxNode, x: Any) -> list[int]:
    rank = len(node.shape_of(node.emit(x)))
    return list(range(node.axis(rank, default=-1) - rank, 0))


def _normalized(node: OnnxNode, x: Any, gamma: int, beta: Value | None, epsilon: float) -> Any:
    scale = node.tensor(gamma)
    shift = beta if beta is not None else op.zeros_like(scale)
    options = {"epsilon": epsilon, "center": beta is not None}
    return _one_output(node, op.layer_norm(x, scale, shift, _axes(node, x), **options))


def _rms(node: OnnxNode, x: Any, gamma: int, epsilon: float) -> Any:
    return op.rms_norm(x, node.tensor(gamma), _axes(node, x), epsilon=epsilon)


def _sum(node: OnnxNode, bias: int) -> Value:
    """Return the sum of the input, the skip connection, and the bias."""
    x, skip = node.tensor(0), node.tensor(1)
    if len(node.shape(1)) < len(node.shape(0)):
        skip = op.reshape(skip, [1, *node.shape(1)])
    found = op.add(x, skip)
    return node.emit(op.add(found, node.tensor(bias)) if node.has(bias) else found)


def _with_sum(node: OnnxNode, found: Any, total: Value) -> Any:
    """Return the result, and the normalized sum as the fourth output."""
    if any(node.outputs[1:3]):
        node.unsupported("mean or deviation as outputs")
    return (found, None, None, total)[: len(node.outputs)]


@converter("SkipLayerNormalization", domain=DOMAIN)
def skip_layer_normalization(node: OnnxNode) -> Any:
    total, scale = _sum(node, 4), node.tensor(2)
    shift = node.tensor(3) if node.has(3) else op.zeros_like(scale)
    options = {"epsilon": node.attr("epsilon", 1e-12), "center": node.has(3)}
    return _with_sum(node, op.layer_norm(total, scale, shift, [-1], **options), total)


@converter("SkipSimplifiedLayerNormalization", domain=DOMAIN)
def skip_simplified_layer_normalization(node: OnnxNode) -> Any:
    total = _sum(node, 3)
    options = {"epsilon": node.attr("epsilon", 1e-12)}
    return _with_sum(node, op.rms_norm(total, node.tensor(2), [-1], **options), total)


@converter("EmbedLayerNormalization", domain=DOMAIN)
def embed_layer_normalization(node: OnnxNode) -> Any:
    """Return the normalized sum of the embeddings of words, positions and segments; and the lengths of the
    mask."""
    words = op.take(node.tensor(2), node.tensor(0), 0)
    length = node.shape(0)[1]
    if node.has(8):
        positions: Any = op.take(node.tensor(3), node.tensor(8), 0)
    else:
        positions = op.expand_dims(op.strided_slice(node.tensor(3), [0], [0], [length]), [0])
    total: Any = op.add(words, positions)
    if node.has(1) and node.has(4):
        total = op.add(total, op.take(node.tensor(4), node.tensor(1), 0))
    total = node.emit(total)
    options = {"epsilon": node.attr("epsilon", 1e-12)}
    found = op.layer_norm(total, node.tensor(5), node.tensor(6), [-1], **options)
    batch = node.shape(0)[0]
    lengths = op.sum(node.tensor(7), [1]) if node.has(7) else op.zeros([batch], "i32")
    return (found, lengths, total)[: len(node.outputs)]
