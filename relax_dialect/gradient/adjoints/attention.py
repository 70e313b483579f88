"""Attention as what it is differentiated as; the scores are computed anew, not kept."""

from __future__ import annotations

import math
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, expansion
from relax_dialect.ir.order import describe
from relax_dialect.ops import attention as ops

FAR_BELOW = {"f64": -1e30, "f32": -1e30, "bf16": -1e30, "f16": -6e4}
"""Scores whose exponentials vanish next to others, by element type."""


@expansion(ops.AttentionOp)
def attention(of: Applied[ops.AttentionOp]) -> Any:
    """`softmax(scale * query @ transpose(key) + bias) @ value` for every head."""
    *_, bias = of.arguments()
    queries, keys = of.sizes(0)[1], of.sizes(1)[1]
    first = of.op.last_key(queries, keys)
    keep = None
    if first is not None:
        last = op.expand_dims(op.arange(first, first + queries, 1), [1])
        keep = seen(of, op.arange(0, keys, 1), last)
    if bias is not None and str(of.type(3).dtype) == "i1":
        keep, bias = bias if keep is None else op.logical_and(keep, bias), None
    return weighed(of, bias, keep)


def seen(of: Applied[Any], keys: Any, last: Any) -> Any:
    """Which keys the causal mask and the window leave to queries, given the last one that each sees."""
    if of.op.window_size is None:
        return keys <= last
    return op.logical_and(keys <= last, keys > last - of.op.window_size)


def weighed(of: Applied[Any], bias: Any, keep: Any) -> Any:
    """The values weighed by the softmax of the scores, and by zero where they are not kept.

    Scores that are not kept are far below the others, so that a query without keys divides by no zero."""
    heads, depth = of.sizes(0)[2:]
    q, k, v = (op.permute_dims(x, [0, 2, 1, 3]) for x in of.inputs[:3])
    groups = [of.op.group(heads, of.sizes(i)[2]).value for i in (1, 2)]
    if None in groups or depth.value is None:
        raise GradientError(
            f"{describe(of.op)}: expected known numbers of heads and their elements to differentiate it, "
            f"found {of.type(0)} and {of.type(1)}; fix them by a relax.match_cast before it"
        )
    k, v = (x if group == 1 else op.repeat(x, group, 1) for x, group in zip((k, v), groups))
    scale = of.op.scale if of.op.scale is not None else depth.value**-0.5
    scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) * scale
    if bias is not None:
        scores = scores + bias
        finite = bias > -math.inf
        keep = finite if keep is None else op.logical_and(keep, finite)
    if keep is None:
        shares = op.softmax(scores, -1)
    else:
        shares = op.where(
            keep, op.softmax(op.where(keep, scores, FAR_BELOW[str(of.type().dtype)]), -1), 0.0
        )
    return op.permute_dims(op.matmul(shares, v), [0, 2, 1, 3])


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
