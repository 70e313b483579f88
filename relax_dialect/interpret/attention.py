"""Attention, head by head, in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.attention import AttendingOp, AttentionOp, RotaryEmbeddingOp
from relax_dialect.ops.demands import require
from relax_dialect.ops.packed_attention import AttentionVarLenOp


def seen(op: AttendingOp, queries: int, keys: int) -> Array:
    """Return the mask of the keys that the causal mask and the window leave to every query."""
    first = op.last_key(symbolic.const(queries), symbolic.const(keys))
    if first is None:
        return np.ones((queries, keys), bool)
    last = np.arange(queries)[:, None] + first.evaluate({})
    key = np.arange(keys)
    return key <= last if op.window_size is None else (key <= last) & (key > last - op.window_size)


def shares(scores: Array) -> Array:
    """Return the softmax along the last axis; zeros if all scores are minus infinity."""
    highest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(highest == -np.inf, 0, highest))
    total = np.sum(powers, axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def attention(op: AttentionOp, query: Array, key: Array, value: Array, bias: Array | None) -> Array:
    """`softmax(scale * query @ transpose(key) + bias) @ value` for every head."""
    given = [query, key, value] if bias is None else [query, key, value, bias]
    require(op.demands(*(tuple(map(symbolic.const, array.shape)) for array in given)))
    return attended(op, query, key, value, bias)


def attended(
    op: AttentionOp | AttentionVarLenOp, query: Array, key: Array, value: Array, bias: Array | None
) -> Array:
    """Return the means of the values, head by head."""
    (q, k, v), scale = heads_first(op, query, key, value)
    found = shares(scores(op, q, k, scale, bias)) @ v
    return found.transpose(0, 2, 1, 3).astype(query.dtype)


def heads_first(
    op: AttentionOp | AttentionVarLenOp, query: Array, key: Array, value: Array
) -> tuple[Sequence[Array], float]:
    """Return query, key and value in f64, [batch, head, sequence, width] with a head for each query head,
    and the scale."""
    q, k, v = (array.astype(np.float64).transpose(0, 2, 1, 3) for array in (query, key, value))
    k, v = (np.repeat(array, q.shape[1] // max(array.shape[1], 1), axis=1) for array in (k, v))
    return (q, k, v), op.scale if op.scale is not None else np.float64(q.shape[3]) ** -0.5


def scores(
    op: AttentionOp | AttentionVarLenOp, q: Array, k: Array, scale: float, bias: Array | None
) -> Array:
    """Return the scores of every head, minus infinity for masked keys."""
    found = q @ k.swapaxes(2, 3) * scale
    keep = seen(op, *found.shape[2:])
    if bias is not None and bias.dtype == np.bool_:
        keep = keep & bias
    elif bias is not None:
        found = found + bias.astype(np.float64)
    return np.where(keep, found, -np.inf)


def rotary_embedding(
    op: RotaryEmbeddingOp, x: Array, cos: Array, sin: Array, positions: Array | None
) -> Array:
    """`u * cos - v * sin` and `u * sin + v * cos` for every pair (u, v)."""
    given = [x, cos, sin] if positions is None else [x, cos, sin, positions]
    require(op.demands(*(tuple(map(symbolic.const, array.shape)) for array in given)))
    if positions is not None:
        outside = positions[(positions < 0) | (positions >= len(cos))]
        if outside.size:
            raise RelaxError(op.wrong_position(outside[0], len(cos)))
        cos, sin = cos[positions], sin[positions]
    half = cos.shape[-1]
    first, second = slice(half), slice(half, 2 * half)
    if op.interleaved:
        first, second = slice(0, 2 * half, 2), slice(1, 2 * half, 2)
    wide = x.astype(np.float64)
    u, v, c, s = wide[..., first], wide[..., second], cos[:, :, None], sin[:, :, None]
    c, s = c.astype(np.float64), s.astype(np.float64)
    wide[..., first], wide[..., second] = u * c - v * s, u * s + v * c
    return wide.astype(x.dtype)


@register_impls
class AttentionFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.attention`."""

    attention = operator_with_attributes(AttentionOp, attention)
    rotary_embedding = operator_with_attributes(RotaryEmbeddingOp, rotary_embedding)
