"""Attention as ONNX Runtime's optimizer fuses it, and rotary embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.converters.quantization import parameter
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.microsoft.quantization import scaled, zero_like
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr

FILTER = -10000.0
"""The default bias of the scores of masked keys."""


@dataclass
class Heads:
    """Queries, keys and values as [batch, length, heads, depth]; keys and values of earlier calls first."""

    query: Value
    key: Value
    value: Value


def split_heads(node: OnnxNode, x: Any, heads: int) -> Value:
    """Reshape [batch, length, heads * depth] to [batch, length, heads, depth]."""
    batch, length, _ = node.shape_of(node.emit(x))
    return node.emit(op.reshape(x, [batch, length, heads, -1]))


def turned(node: OnnxNode, x: Any) -> Value:
    """Exchange length and heads."""
    return node.emit(op.permute_dims(x, [0, 2, 1, 3]))


def with_past(node: OnnxNode, past: Any, new: Value) -> Value:
    """Append keys or values to those of earlier calls, which are [batch, heads, length, depth]."""
    return new if past is None else node.emit(op.concat([turned(node, past), new], 1))


def attended(
    node: OnnxNode, heads: Heads, bias: Any, causal: bool, window: int | None = None
) -> Any:
    """Compute attention; the result is [batch, length, heads * depth]."""
    scale = node.attr("scale", 0.0) or None
    options: dict[str, Any] = {"scale": scale}
    if causal:
        options |= {"causal_mask": "BottomRight", "window_size": window}
    found = node.emit(op.attention(heads.query, heads.key, heads.value, bias, **options))
    return op.reshape(found, [*node.shape_of(found)[:2], -1])


def biases(node: OnnxNode, heads: Heads, mask: int, added: int) -> Any:
    """Return the addends of the scores: the mask as numbers, and the bias input."""
    found = _mask(node, mask, heads) if node.has(mask) else None
    if not node.has(added):
        return found
    return node.tensor(added) if found is None else op.add(found, node.tensor(added))


def _mask(node: OnnxNode, place: int, heads: Heads) -> Any:
    """Return the mask as addends, from lengths, or ones for valid keys: [batch, 1, 1 or queries, keys]."""
    shape, mask = node.shape(place), node.tensor(place)
    batch, keys = node.shape_of(heads.key)[:2]
    value = np.float32(node.attr("mask_filter_value", FILTER))
    if len(shape) == 1:
        counts = _within(node, mask, shape[0], batch, keys)
    elif len(shape) in (2, 3):
        middle = [1, 1] if len(shape) == 2 else [1, shape[1]]
        counts = op.reshape(op.not_equal(mask, 0), [shape[0], *middle, shape[-1]])
    else:
        node.unsupported(f"a mask of rank {len(shape)}")
    return op.where(counts, np.float32(0), value)


def _within(node: OnnxNode, mask: Value, size: Expr, batch: Expr, keys: Expr) -> Any:
    """Returns whether keys are before the ends of their rows, and not before their beginnings, which
    follow."""
    if size is symbolic.const(3) * batch + 2:
        node.unsupported("a mask of cumulative lengths")
    places = op.reshape(op.arange(0, keys, 1, "i32"), [1, 1, 1, keys])
    if size is not symbolic.const(2) * batch:
        ends = node.with_first_size(mask, batch)
        return op.less(places, op.reshape(ends, [batch, 1, 1, 1]))
    ends, starts = node.emit(op.split(mask, 2, 0))
    each = [op.reshape(v, [batch, 1, 1, 1]) for v in (ends, starts)]
    return op.logical_and(op.less(places, each[0]), op.greater_equal(places, each[1]))


# Attention ---------------------------------------------------------------------------------------


@converter("Attention", domain=DOMAIN)
def attention(node: OnnxNode) -> Any:
    """Convert an `Attention` of one input, whose queries, keys and values are one product."""
    made: Any = op.matmul(node.tensor(0), node.tensor(1))
    made = op.add(made, node.tensor(2)) if node.has(2) else made
    return _self_attention(node, node.emit(made), past=4, mask=3, added=5)


@converter("QAttention", domain=DOMAIN)
def quantized_attention(node: OnnxNode) -> Any:
    """Convert a `QAttention`: attention of quantized numbers."""
    zeros = zero_like(node, 6, 0), zero_like(node, 7, 1)
    sums = op.matmul_integer(node.tensor(0), node.tensor(1), *zeros)
    made = scaled(node, sums, parameter(node, 3), parameter(node, 4), bias=2)
    return _self_attention(node, node.emit(made), past=8, mask=5, added=99)


def _self_attention(node: OnnxNode, made: Value, past: int, mask: int, added: int) -> Any:
    if node.attr("do_rotary", 0) or node.attr("past_present_share_buffer", 0):
        node.unsupported("do_rotary or past_present_share_buffer")
    count = node.attr("num_heads")
    sizes = node.attr("qkv_hidden_sizes", None)
    ends = 3 if not sizes else [sizes[0], sizes[0] + sizes[1]]
    query, key, value = (split_heads(node, x, count) for x in node.emit(op.split(made, ends, 2)))
    if node.has(past):
        before = [op.squeeze(x, [0]) for x in node.emit(op.split(node.tensor(past), 2, 0))]
        key, value = (with_past(node, *pair) for pair in zip(before, (key, value)))
    heads = Heads(query, key, value)
    bias = biases(node, heads, mask, added)
    found = attended(node, heads, bias, bool(node.attr("unidirectional", 0)))
    if len(node.outputs) == 1:
        return found
    present = op.stack([turned(node, key), turned(node, value)], 0)
    return found, present


@converter("MultiHeadAttention", domain=DOMAIN)
def multi_head_attention(node: OnnxNode) -> Any:
    """Convert a `MultiHeadAttention` of queries, keys and values, or of these packed; keys and values may
    be those of an encoder, as [batch, heads, length, depth]."""
    if node.has(8) or node.has(9) or any(node.outputs[3:]):
        node.unsupported("a shared buffer of keys, or scores as an output")
    query, key, value = _inputs(node)
    key, value = (with_past(node, node.optional(place), x) for place, x in ((6, key), (7, value)))
    heads = Heads(query, key, value)
    bias = biases(node, heads, 4, 5)
    found = attended(node, heads, bias, bool(node.attr("unidirectional", 0)))
    return (found, turned(node, key), turned(node, value))[: len(node.outputs)]


def _inputs(node: OnnxNode) -> list[Value]:
    """Return the queries, keys and values of a node, with their biases."""
    count = node.attr("num_heads")
    if not node.has(1):
        found = [op.squeeze(x, [3]) for x in node.emit(op.split(node.tensor(0), 3, 3))]
    elif not node.has(2):
        both = node.emit(op.split(node.tensor(1), 2, 3))
        found = [split_heads(node, node.tensor(0), count), *(op.squeeze(x, [3]) for x in both)]
    else:
        found = [_of_input(node, place, count) for place in range(3)]
    values = [node.emit(x) for x in found]
    return _biased(node, values, count) if node.has(3) else values


def _of_input(node: OnnxNode, place: int, count: int) -> Value:
    """Split an input into heads; an input of rank 4 has them before the length."""
    if node.rank(place) != 4:
        return split_heads(node, node.tensor(place), count)
    found = turned(node, node.tensor(place))
    batch, length, _, depth = node.shape_of(found)
    return node.with_sizes(found, [batch, length, symbolic.const(count), depth])


def _biased(node: OnnxNode, values: list[Value], count: int) -> list[Value]:
    """Add the parts of the bias to queries, keys and values; those of an encoder have it already."""
    widths = [node.shape_of(x)[3] * count for x in values]
    found, start = list[Value](), symbolic.const(0)
    for place, (x, width) in enumerate(zip(values, widths)):
        part = op.strided_slice(node.tensor(3), [0], [start], [start + width])
        start = start + width
        is_done = place and node.has(place) and node.rank(place) == 4
        found.append(x if is_done else node.emit(op.add(x, op.reshape(part, [count, -1]))))
    return found


# Rotary embeddings and grouped queries -----------------------------------------------------------


def positions(node: OnnxNode, first: Any, batch: Expr, length: Expr) -> Value:
    """Return the positions of each row, from a first one on."""
    row = op.reshape(op.arange(0, length, 1, "i64"), [1, length])
    found = op.add(op.reshape(first, [-1, 1]), row)
    return node.emit(op.broadcast_to(found, [batch, length]))


def rotated(node: OnnxNode, x: Value, cos: int, places: Value, interleaved: bool) -> Value:
    """Rotate heads by the angles of their positions."""
    tables = node.tensor(cos), node.tensor(cos + 1)
    found = op.rotary_embedding(x, *tables, places, interleaved=interleaved)
    return node.emit(found)


@converter("RotaryEmbedding", domain=DOMAIN)
def rotary_embedding(node: OnnxNode) -> Any:
    if node.attr("is_packed_batching", 0) or node.attr("scale", 1.0) != 1:
        node.unsupported("packed batches or a scale")
    shape, x = node.shape(0), node.tensor(0)
    if len(shape) == 4:
        heads = turned(node, x)
    else:
        width = node.attr("rotary_embedding_dim", 0)
        half = node.shape(2)[1].value
        depth = None if half is None else 2 * half
        count = node.attr("num_heads", 0)
        if not count and (width or depth is None):
            node.unsupported("rotary_embedding_dim without num_heads")
        heads = node.emit(op.reshape(x, [*shape[:2], count or -1, -1 if count else depth]))
    batch, length = node.shape_of(heads)[:2]
    places = node.tensor(1) if node.rank(1) == 2 else positions(node, node.tensor(1), batch, length)
    found = rotated(node, heads, 2, places, bool(node.attr("interleaved", 0)))
    return turned(node, found) if len(shape) == 4 else op.reshape(found, shape)


UNSUPPORTED = (
    "softcap",
    "smooth_softmax",
    "kv_cache_bit_width",
    "sliding_window_cache",
    "qk_output",
)


@converter("GroupQueryAttention", domain=DOMAIN)
def group_query_attention(node: OnnxNode) -> Any:
    """Convert a causal attention; keys and values are appended to those of earlier calls, all of one
    length."""
    given = [name for name in UNSUPPORTED if node.attr(name, 0) > 0]
    if given or any(node.has(i) for i in range(11, 17)) or not node.attr("causal", 1):
        node.unsupported(", ".join(given) or "sinks, norms or scales of keys")
    query, key, value = _grouped(node)
    batch, length = node.shape_of(query)[:2]
    last = op.astype(op.reshape(node.tensor(5), [-1]), "i64")
    if node.attr("do_rotary", 0):
        first = op.subtract(last, node.emit(op.shape_to_tensor(op.shape([length - 1]))))
        places = node.tensor(9) if node.has(9) else positions(node, first, batch, length)
        turned_by = bool(node.attr("rotary_interleaved", 0))
        query, key = (rotated(node, x, 7, places, turned_by) for x in (query, key))
    key, value = (with_past(node, node.optional(place), x) for place, x in ((3, key), (4, value)))
    keys = node.shape_of(key)[1]
    total = op.astype(op.reshape(node.tensor(6), [1]), "i64")
    node.context.builder.match_shape(node.emit(op.tensor_to_shape(total)), [keys])
    bias = op.where(
        op.less_equal(
            op.reshape(op.arange(0, keys, 1, "i64"), [1, 1, 1, keys]),
            op.reshape(last, [-1, 1, 1, 1]),
        ),
        np.float32(0),
        np.float32(-np.inf),
    )
    bias = op.add(bias, node.tensor(10)) if node.has(10) else bias
    window = node.attr("local_window_size", -1)
    found = attended(node, Heads(query, key, value), bias, True, window if window > 0 else None)
    return (found, turned(node, key), turned(node, value))[: len(node.outputs)]


def _grouped(node: OnnxNode) -> list[Value]:
    """Return queries, keys and values, from a packed input or separate ones."""
    count, groups = node.attr("num_heads"), node.attr("kv_num_heads")
    if node.has(1):
        return [split_heads(node, node.tensor(i), n) for i, n in enumerate((count, groups, groups))]
    whole = split_heads(node, node.tensor(0), count + 2 * groups)
    return list(node.emit(op.split(whole, [count, count + groups], 2)))
