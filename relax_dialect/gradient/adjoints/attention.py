"""The adjoint of attention, by a dedicated operator, which recomputes the scores; and attention as a
composition, by which that operator is differentiated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ir.order import describe
from relax_dialect.ops import attention as ops
from relax_dialect.symbolic import Expr

FAR_BELOW = {"f64": -1e30, "f32": -1e30, "bf16": -1e30, "f16": -6e4}
"""Scores whose exponentials vanish next to others, by element type."""


@adjoint(ops.AttentionOp)
def attention(of: Applied[ops.AttentionOp], gy: Any) -> Any:
    """By `attention_backward`; the gradient of a bias is computed from all scores at once, as it may be
    as large."""
    query, key, value, bias = of.arguments()
    how = of.op.scale, of.op.causal_mask, of.op.window_size
    found = of.builder.emit(op.attention_backward(gy, query, key, value, bias, *how))
    if bias is None or is_mask(of):
        return (*found, None)
    return (*found, Attended(of).of_scores(gy))


def is_mask(of: Applied[ops.AttentionOp]) -> bool:
    """Return whether the bias is one of booleans."""
    return str(of.type(3).dtype) == "i1"


def seen(of: Applied[Any], keys: Any, last: Any) -> Any:
    """Return the mask of the keys visible to each query under the causal mask and the window, where
    `last` is the last visible key."""
    if of.op.window_size is None:
        return keys <= last
    return op.logical_and(keys <= last, keys > last - of.op.window_size)


class Attended:
    """Attention as a composition, heads before the sequence; the scores of all heads are materialized at
    once."""

    def __init__(self, of: Applied[ops.AttentionOp]):
        self.sizes = [of.sizes(i) for i in range(3)]
        heads, depth = self.sizes[0][2:]
        found = [of.op.group(heads, own[2]).value for own in self.sizes]
        self.groups = [group for group in found if group is not None]
        if len(self.groups) < 3 or depth.value is None:
            raise GradientError(
                f"{describe(of.op)}: expected known numbers of heads and of their elements to "
                f"differentiate it by its bias, or twice, found {of.type(0)} and {of.type(1)}; fix them by "
                "a relax.match_cast before it"
            )
        turned = (op.permute_dims(x, [0, 2, 1, 3]) for x in of.inputs[:3])
        self.query, self.key, self.value = (
            x if group == 1 else op.repeat(x, group, 1) for x, group in zip(turned, self.groups)
        )
        self.scale = of.op.scale if of.op.scale is not None else depth.value**-0.5
        self.shares = self._shares(of)

    def _shares(self, of: Applied[ops.AttentionOp]) -> Any:
        """The softmax of the scores, and zero where they are not kept.

        Scores that are not kept are far below the others, so that a query without keys divides by no
        zero."""
        *_, bias = of.arguments()
        scores = op.matmul(self.query, op.permute_dims(self.key, [0, 1, 3, 2])) * self.scale
        keep: list[Any] = []
        queries, keys = (own[1] for own in self.sizes[:2])
        if (first := of.op.last_key(queries, keys)) is not None:
            last = op.expand_dims(op.arange(first, first + queries, 1), [1])
            keep.append(seen(of, op.arange(0, keys, 1), last))
        if bias is not None and is_mask(of):
            keep.append(bias)
        elif bias is not None:
            scores = scores + bias
            keep.append(bias > -math.inf)
        if not keep:
            return op.softmax(scores, -1)
        kept = reduce(op.logical_and, keep)
        low = FAR_BELOW[str(of.type().dtype)]
        return op.where(kept, op.softmax(op.where(kept, scores, low), -1), 0.0)

    def of_scores(self, gy: Any) -> Any:
        """The cotangent of the scores, including the bias, from the cotangent of the result."""
        of_result = op.permute_dims(gy, [0, 2, 1, 3])
        of_shares = op.matmul(of_result, op.permute_dims(self.value, [0, 1, 3, 2]))
        mean = op.sum(self.shares * of_shares, [-1], True)
        return self.shares * (of_shares - mean)

    def back(self, gy: Any) -> tuple[Any, ...]:
        """The cotangents of query, key and value, from the cotangent of the result."""
        of_scores = self.of_scores(gy) * self.scale
        back, shares = (op.permute_dims(x, [0, 1, 3, 2]) for x in (of_scores, self.shares))
        of_query = op.matmul(of_scores, self.key)
        of_key = op.matmul(back, self.query)
        of_value = op.matmul(shares, op.permute_dims(gy, [0, 2, 1, 3]))
        return tuple(map(self._own, (of_query, of_key, of_value), self.sizes, self.groups))

    @staticmethod
    def _own(found: Any, sizes: Sequence[Expr], group: int) -> Any:
        """Sum the results of all heads over the group of heads that share a head of the operand."""
        batch, length, heads, depth = sizes
        if group != 1:
            found = op.sum(op.reshape(found, [batch, heads, group, length, depth]), [2])
        return op.permute_dims(found, [0, 2, 1, 3])


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
