"""Attention as what it is differentiated as; the scores are computed anew, not kept."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, expansion
from relax_dialect.ir.order import describe
from relax_dialect.ops import attention as ops


@expansion(ops.AttentionOp)
def attention(of: Applied[ops.AttentionOp]) -> Any:
    """`softmax(scale * query @ transpose(key) + bias) @ value` for every head, masked keys far below."""
    query, key, value, bias = of.arguments()
    _, queries, heads, depth = of.sizes(0)
    _, keys, own, _ = of.sizes(1)
    group = symbolic.exact_quotient(heads, own)
    if group is None or group.value is None or depth.value is None:
        raise GradientError(
            f"{describe(of.op)}: expected known numbers of heads and their elements to differentiate it, "
            f"found {of.type(0)} and {of.type(1)}; fix them by a relax.match_cast before it"
        )
    q, k, v = (op.permute_dims(x, [0, 2, 1, 3]) for x in (query, key, value))
    if group.value != 1:
        k, v = (op.repeat(x, group.value, 1) for x in (k, v))
    scale = of.op.scale if of.op.scale is not None else depth.value**-0.5
    scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) * scale
    keep = _seen(of, queries, keys)
    if bias is not None:
        if str(of.type(3).dtype) == "i1":
            keep = bias if keep is None else op.logical_and(keep, bias)
        else:
            scores = scores + bias
    if keep is not None:
        scores = op.where(keep, scores, -1e30)
    return op.permute_dims(op.matmul(op.softmax(scores, -1), v), [0, 2, 1, 3])


def _seen(of: Applied[ops.AttentionOp], queries: Any, keys: Any) -> Any:
    """Which keys the causal mask and the window leave to every query, None for all."""
    first = of.op.last_key(queries, keys)
    if first is None:
        return None
    last = op.expand_dims(op.arange(first, first + queries, 1), [1])
    key = op.arange(0, keys, 1)
    if of.op.window_size is None:
        return key <= last
    return op.logical_and(key <= last, key > last - of.op.window_size)


@expansion(ops.RotaryEmbeddingOp)
def rotary_embedding(of: Applied[ops.RotaryEmbeddingOp]) -> Any:
    """`u * cos - v * sin` and `u * sin + v * cos` for every pair (u, v)."""
    x, cos, sin, positions = of.arguments()
    half = of.sizes(1)[-1]
    if positions is not None:
        cos, sin = (op.take(table, positions, 0) for table in (cos, sin))
    cos, sin = (op.expand_dims(table, [-2]) for table in (cos, sin))
    step = 2 if of.op.interleaved else 1
    ends = (2 * half, 2 * half) if of.op.interleaved else (half, 2 * half)
    starts = (
        (symbolic.const(0), symbolic.const(1)) if of.op.interleaved else (symbolic.const(0), half)
    )
    u, v = (op.strided_slice(x, [3], [a], [b], [step]) for a, b in zip(starts, ends))
    turned = u * cos - v * sin, u * sin + v * cos
    for part, a, b in zip(turned, starts, ends):
        x = op.slice_scatter(x, part, [a], [b], [step], [3])
    return x
