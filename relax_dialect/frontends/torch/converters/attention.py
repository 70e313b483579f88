"""Attention."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode
from relax_dialect.symbolic import Expr

Shape = list[Expr]


@converter("scaled_dot_product_attention")
def attention(node: TorchNode) -> Any:
    return attended(node)


@converter(
    "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_attention_math",
    "_scaled_dot_product_efficient_attention",
)  # fmt: skip
def attention_with_statistics(node: TorchNode) -> Any:
    if node.uses(1):
        node.unsupported("the logarithms of sums of an attention")
    return [attended(node), *[None] * (len(node.result) - 1)]


def attended(node: TorchNode) -> Any:
    """Emit an attention; [..., heads, rows, depth] becomes [batch, rows, heads, depth]."""
    if node.arg("dropout_p") and node.arg("dropout_p") > 0:
        node.unsupported("dropout in an attention", "export the model in eval mode")
    query, key = node.shape("query"), node.shape("key")
    scale = node.arg("scale")
    causal = "TopLeft" if node.arg("is_causal") else None
    batch = symbolic.product(node.shape_of(_example(node))[:-3])
    q, k, v = (_rows_first(node, name, batch) for name in ("query", "key", "value"))
    bias = _bias(node, [batch, _heads(query), query[-2], key[-2]])
    found = op.attention(q, k, v, bias, None if scale is None else float(scale), causal)
    return op.reshape(op.permute_dims(found, [0, 2, 1, 3]), node.shape_of(_example(node)))


def _example(node: TorchNode) -> Any:
    """Return the fake tensor of the attention itself."""
    return node.result[0] if isinstance(node.result, list | tuple) else node.result


def _heads(shape: Shape) -> Expr:
    return shape[-3] if len(shape) > 2 else symbolic.const(1)


def _rows_first(node: TorchNode, name: str, batch: Expr) -> Any:
    """Return an operand as [batch, rows, heads, depth]; a batch of 1 is repeated."""
    shape, value = node.shape(name), node.tensor(name)
    own = symbolic.product(shape[:-3])
    if len(shape) != 4:
        value = op.reshape(value, [own, _heads(shape), *shape[-2:]])
    if own.value == 1 and batch.value != 1:
        value = op.broadcast_to(value, [batch, _heads(shape), *shape[-2:]])
    return op.permute_dims(value, [0, 2, 1, 3])


def _bias(node: TorchNode, scores: Shape) -> Any:
    """Return the mask as [batch, heads, queries, keys], or what broadcasts to it."""
    if node.arg("attn_mask") is None:
        return None
    shape, value = node.shape("attn_mask"), node.tensor("attn_mask")
    if len(shape) > 4:
        lead = [symbolic.product(shape[:-3]), *shape[-3:]]
        value = op.reshape(value, lead)
    elif len(shape) < 4:
        value = op.reshape(value, [symbolic.const(1)] * (4 - len(shape)) + shape)
    return (
        value
        if node.dtype("attn_mask") in ("i1", node.dtype("query"))
        else op.astype(value, node.dtype("query"))
    )


@converter("_transformer_encoder_layer_fwd")
def encoder_layer(node: TorchNode) -> Any:
    """A layer of an encoder: attention and two products, each with a residual and a norm."""
    if node.arg("mask") is not None:
        node.unsupported("a mask", "export the model with gradients enabled")
    x, is_first = node.tensor("src"), bool(node.arg("norm_first"))
    attend, feed = (lambda v: _self_attention(node, v)), (lambda v: _feed_forward(node, v))
    for i, block in enumerate((attend, feed), 1):
        if is_first:
            x = node.emit(op.add(x, block(_normed(node, x, i))))
        else:
            x = _normed(node, node.emit(op.add(x, block(x))), i)
    return x


def _normed(node: TorchNode, x: Any, number: int) -> Any:
    gamma, beta = (node.tensor(f"norm_{kind}_{number}") for kind in ("weight", "bias"))
    return node.emit(op.layer_norm(x, gamma, beta, [node.rank(0) - 1], float(node.number("eps"))))


def _feed_forward(node: TorchNode, x: Any) -> Any:
    activation = op.gelu if node.arg("use_gelu") else op.relu
    inner = activation(op.linear(x, node.tensor("ffn_weight_1"), node.tensor("ffn_bias_1")))
    return op.linear(inner, node.tensor("ffn_weight_2"), node.tensor("ffn_bias_2"))


def _self_attention(node: TorchNode, x: Any) -> Any:
    batch, rows, width = node.shape("src")
    heads = int(node.number("num_heads"))
    joint = op.linear(x, node.tensor("qkv_weight"), node.tensor("qkv_bias"))
    parts = node.emit(op.split(op.reshape(joint, [batch, rows, 3, heads, width // heads]), 3, 2))
    q, k, v = (op.squeeze(node.emit(part), [2]) for part in parts)
    found = op.reshape(op.attention(q, k, v), [batch, rows, width])
    return op.linear(found, node.tensor("proj_weight"), node.tensor("proj_bias"))
