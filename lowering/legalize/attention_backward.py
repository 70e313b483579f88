"""The gradient of attention: the probabilities recomputed, then products with them, all batch by batch and
head by head, so that only the scores of one head are held."""

from __future__ import annotations

from lowering.legalize.attention import factor, own_head, powers, scores
from lowering.legalize.demands import requirements
from lowering.legalize.registry import legalize
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.ops.attention_backward import AttentionBackwardOp


@legalize(AttentionBackwardOp)
def attention_backward(
    op: AttentionBackwardOp,
    gy: te.Tensor,
    query: te.Tensor,
    key: te.Tensor,
    value: te.Tensor,
    bias: te.Tensor | None,
) -> list[te.Tensor]:
    """Products over the elements of a head, over the queries and over the keys."""
    forward: AttentionOp = op.forward()
    type, (batch, queries, heads, depth) = wide(query.dtype), query.shape
    keys, width = key.shape[1], value.shape[3]
    given = [query, key, value] if bias is None else [query, key, value, bias]
    requires = requirements(op, forward.demands(*(x.shape for x in given)))
    requires += requirements(op, op.demands(gy.shape, (batch, queries, heads, width)))
    found, total = powers(scores(forward, query, key, bias, requires))
    scale = factor(forward, depth, type)
    rows, shape = found.shape[:3], found.shape

    def share(b: te.IterVar, n: te.IterVar, i: te.IterVar, j: te.IterVar) -> te.Scalar:
        weight = total[b, n, i]
        return found[b, n, i, j] / te.select(te.equal(weight, 0), 1, weight)

    shares = te.compute(shape, share, name="shares")
    w, s, j, i, r = (
        te.reduce_axis((0, size), name=name)
        for name, size in zip("wsjir", (width, keys, keys, queries, queries))
    )

    def of_share(b: te.IterVar, n: te.IterVar, i: te.IterVar, j: te.IterVar) -> te.Scalar:
        own = own_head(forward, n, heads, value.shape[2])
        return te.sum(gy[b, i, n, w].astype(type) * value[b, j, own, w].astype(type), axis=w)

    of_shares = te.compute(shape, of_share, name="of_shares")
    means = te.compute(
        rows, lambda *i: te.sum(shares[(*i, s)] * of_shares[(*i, s)], axis=s), name="means"
    )
    of_scores = te.compute(
        shape, lambda *i: shares[i] * (of_shares[i] - means[i[:3]]) * scale, name="of_scores"
    )

    def of_query(b: te.IterVar, i: te.IterVar, n: te.IterVar, d: te.IterVar) -> te.Scalar:
        own = own_head(forward, n, heads, key.shape[2])
        return te.sum(of_scores[b, n, i, j] * key[b, j, own, d].astype(type), axis=j)

    def of_key(b: te.IterVar, j: te.IterVar, n: te.IterVar, d: te.IterVar) -> te.Scalar:
        return te.sum(of_scores[b, n, i, j] * query[b, i, n, d].astype(type), axis=i)

    def of_value(b: te.IterVar, j: te.IterVar, n: te.IterVar, d: te.IterVar) -> te.Scalar:
        return te.sum(shares[b, n, r, j] * gy[b, r, n, d].astype(type), axis=r)

    return [
        _summed(
            forward, te.compute((batch, queries, heads, depth), of_query, name="of_query"), query
        ),
        _summed(forward, te.compute((batch, keys, heads, depth), of_key, name="of_key"), key),
        _summed(forward, te.compute((batch, keys, heads, width), of_value, name="of_value"), value),
    ]


def _summed(op: AttentionOp, found: te.Tensor, of: te.Tensor) -> te.Tensor:
    """Sum the gradients of all heads over the groups that share an operand's head, in its element type."""
    group = op.group(found.shape[2], of.shape[2])
    if group.value != 1:
        g, all_heads = te.reduce_axis((0, group), name="g"), found

        def sum_of_group(b: te.IterVar, j: te.IterVar, n: te.IterVar, d: te.IterVar) -> te.Scalar:
            return te.sum(all_heads[b, j, n * group + g, d], axis=g)

        found = te.compute(of.shape, sum_of_group, name="summed")
    if found.dtype == of.dtype:
        return found
    return te.compute(of.shape, lambda *i: found[i].astype(of.dtype), name="out")
