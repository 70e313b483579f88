"""Attention: scores, softmax over the keys, and the sum of the values, each a stage of its own."""

from __future__ import annotations

from typing import Any

from lowering.legalize.demands import requirements
from lowering.legalize.registry import broadcast_index, legalize, result_shape
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.symbolic import Expr


@legalize(AttentionOp)
def attention(
    op: AttentionOp, query: te.Tensor, key: te.Tensor, value: te.Tensor, bias: te.Tensor | None
) -> te.Tensor:
    """`softmax(scale * query @ transpose(key) + bias) @ value` for every head.

    The keys are turned first, so that neighbouring scores read neighbours; the sums of values are
    divided once, not every share of them.
    """
    given = [query, key, value] if bias is None else [query, key, value, bias]
    requires = requirements(op, op.demands(*(x.shape for x in given)))
    type, (batch, queries, heads, depth), keys = wide(query.dtype), query.shape, key.shape[1]
    d = te.reduce_axis((0, depth), name="d")

    def product(b: te.IterVar, n: te.IterVar, i: te.IterVar, j: te.IterVar) -> te.Scalar:
        own = _own_head(op, n, heads, key.shape[2])
        return te.sum(query[b, i, n, d].astype(type) * key[b, j, own, d].astype(type), axis=d)

    shape = (batch, heads, queries, keys)
    products = te.compute(shape, product, name="products", requires=requires)
    scale = te.const(1, type) / te.sqrt(te.cast(depth, type)) if op.factor is None else op.factor

    def score(b: te.IterVar, n: te.IterVar, i: te.IterVar, j: te.IterVar) -> te.Scalar:
        found = products[b, n, i, j] * scale
        keep = _seen(op, i, j, queries, keys)
        if bias is not None:
            own = bias[broadcast_index(bias.shape, (b, n, i, j))]
            if str(own.dtype) == "i1":
                keep = [*keep, own]
            else:
                found = found + own.astype(type)
        return te.select(te.all(*keep), found, float("-inf")) if keep else found

    scores = te.compute(shape, score, name="scores")
    return _weighted(op, scores, value)


def _own_head(op: AttentionOp, head: te.IterVar, heads: Expr, own: Expr) -> Any:
    """The head of key or value that serves one of query."""
    group = op.group(heads, own)
    return head if group.value == 1 else te.floordiv(head, group)


def _seen(
    op: AttentionOp, i: te.IterVar, j: te.IterVar, queries: Expr, keys: Expr
) -> list[te.Scalar]:
    """The conditions under which query i sees key j."""
    first = op.last_key(queries, keys)
    if first is None:
        return []
    last = i + first
    return [j <= last] if op.window is None else [j <= last, j > last - op.window]


def _weighted(op: AttentionOp, scores: te.Tensor, value: te.Tensor) -> te.Tensor:
    """The mean of the values, weighted by the powers of the scores; 0 where all weigh nothing."""
    shape, type = scores.shape, scores.dtype
    m, s, t = (te.reduce_axis((0, shape[3]), name=name) for name in "mst")
    rows = shape[:3]
    highest = te.compute(rows, lambda *i: te.max(scores[(*i, m)], axis=m), name="highest")
    least = te.min_value(type)
    # Where all is minus infinity, or there is no key, the powers are to be 0, and not NaN.
    base = te.compute(
        rows, lambda *i: te.select(te.equal(highest[i], least), 0, highest[i]), name="base"
    )
    powers = te.compute(
        shape, lambda b, n, i, j: te.exp(scores[b, n, i, j] - base[b, n, i]), name="powers"
    )
    total = te.compute(rows, lambda *i: te.sum(powers[(*i, s)], axis=s), name="total")
    out = result_shape(op)

    def sum_of_values(b: te.IterVar, i: te.IterVar, n: te.IterVar, w: te.IterVar) -> te.Scalar:
        own = _own_head(op, n, shape[1], value.shape[2])
        return te.sum(powers[b, n, i, t] * value[b, t, own, w].astype(type), axis=t)

    sums = te.compute(out, sum_of_values, name="sums")

    def mean(b: te.IterVar, i: te.IterVar, n: te.IterVar, w: te.IterVar) -> te.Scalar:
        weight = total[b, n, i]
        return (sums[b, i, n, w] / te.select(te.equal(weight, 0), 1, weight)).astype(value.dtype)

    return te.compute(out, mean, name="out")
