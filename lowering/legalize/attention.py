"""Attention: scores, softmax over the keys, and the sum of the values, each a stage of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Attribute

from lowering.legalize.demands import requirements
from lowering.legalize.registry import broadcast_index, legalize, result_shape
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.attention import AttentionOp, RotaryEmbeddingOp
from relax_dialect.prim.run_time_checks import hole
from relax_dialect.symbolic import Expr


@legalize(AttentionOp)
def attention(
    op: AttentionOp, query: te.Tensor, key: te.Tensor, value: te.Tensor, bias: te.Tensor | None
) -> te.Tensor:
    """`softmax(scale * query @ transpose(key) + bias) @ value` for every head.

    The sums of values are divided once, not every share of them.
    """
    given = [query, key, value] if bias is None else [query, key, value, bias]
    requires = requirements(op, op.demands(*(x.shape for x in given)))
    if not _in_groups(op, *given):
        return _weighted(op, scores(op, query, key, bias, requires), value)
    query, bias = _split_heads(op, query, key, bias)
    found = _weighted(op, scores(op, query, key, bias, requires), value)
    return te.reshape(found, result_shape(op), name="joined")


def _in_groups(
    op: AttentionOp,
    query: te.Tensor,
    key: te.Tensor,
    value: te.Tensor,
    bias: te.Tensor | None = None,
) -> bool:
    """Return whether several heads of query share one of key and one of value, in the same groups."""
    heads = query.shape[2]
    has_bias = bias is None or bias.shape[1] is heads or bias.shape[1].value == 1
    return op.group(heads, key.shape[2]).value != 1 and key.shape[2] is value.shape[2] and has_bias


def _split_heads(
    op: AttentionOp, query: te.Tensor, key: te.Tensor, bias: te.Tensor | None
) -> tuple[te.Tensor, te.Tensor | None]:
    """View the heads of query and bias as two axes, [key heads, group].

    All operands are then read by plain subscripts: `key[b, j, n floordiv group, d]` is no matrix product.
    """
    batch, queries, heads, depth = query.shape
    split = (key.shape[2], op.group(heads, key.shape[2]))
    query = te.reshape(query, (batch, queries, *split, depth), name="query_groups")
    if bias is not None:
        first, own, *rest = bias.shape
        axes = split if own is heads else (own, own)  # 1, which spreads over both
        bias = te.reshape(bias, (first, *axes, *rest), name="bias_groups")
    return query, bias


def factor(op: AttentionOp, depth: Expr, type: Attribute) -> Any:
    """Return the scale: the attribute, or 1 / sqrt(depth) by default."""
    return te.const(1, type) / te.sqrt(te.cast(depth, type)) if op.scale is None else op.scale


def scores(
    op: AttentionOp,
    query: te.Tensor,
    key: te.Tensor,
    bias: te.Tensor | None,
    requires: Sequence[te.Requirement],
) -> te.Tensor:
    """Return the scores [batch, heads, queries, keys], minus infinity where a query does not see a key.

    Heads may be two axes, [key heads, group], of query, bias and scores.
    """
    type, keys = wide(query.dtype), key.shape[1]
    batch, queries, *heads, depth = query.shape
    d = te.reduce_axis((0, depth), name="d")

    def product(b: te.IterVar, *at: te.IterVar) -> te.Scalar:
        *n, i, j = at
        own = _own_head(op, n, heads, key)
        return te.sum(query[(b, i, *n, d)].astype(type) * key[b, j, own, d].astype(type), axis=d)

    shape = (batch, *heads, queries, keys)
    products = te.compute(shape, product, name="products", requires=requires)
    scale = factor(op, depth, type)

    def score(*at: te.IterVar) -> te.Scalar:
        found = products[at] * scale
        keep = _seen(op, at[-2], at[-1], queries, keys)
        if bias is not None:
            own = bias[broadcast_index(bias.shape, at)]
            if str(own.dtype) == "i1":
                keep = [*keep, own]
            else:
                found = found + own.astype(type)
        return te.select(te.all(*keep), found, float("-inf")) if keep else found

    return te.compute(shape, score, name="scores")


def _own_head(
    op: AttentionOp, head: Sequence[te.IterVar], heads: Sequence[Expr], shared: te.Tensor
) -> Any:
    """Return the head of key or value for a head of query, which is one index, or that and its group."""
    return head[0] if len(head) > 1 else own_head(op, head[0], heads[0], shared.shape[2])


def own_head(op: AttentionOp, head: te.IterVar, heads: Expr, own: Expr) -> Any:
    """Return the head of key or value that serves one of query."""
    group = op.group(heads, own)
    return head if group.value == 1 else te.floordiv(head, group)


def _seen(
    op: AttentionOp, i: te.IterVar, j: te.IterVar, queries: Expr, keys: Expr
) -> list[te.Scalar]:
    """Return the conditions under which query i sees key j."""
    first = op.last_key(queries, keys)
    if first is None:
        return []
    last = i + first
    return [j <= last] if op.window_size is None else [j <= last, j > last - op.window_size]


def powers(scores: te.Tensor) -> tuple[te.Tensor, te.Tensor]:
    """Return the powers of the scores, and their sum for each query, which is 0 where it sees nothing. The
    highest score is one of numbers: a NaN reaches the sum by its own power."""
    (*rows, keys), type = scores.shape, scores.dtype
    m, s = (te.reduce_axis((0, keys), name=name) for name in "ms")
    highest = te.compute(rows, lambda *i: te.nanmax(scores[(*i, m)], axis=m), name="highest")
    least = te.min_value(type)
    # Where all is minus infinity, or there is no key, the powers are to be 0, and not NaN.
    base = te.compute(
        rows, lambda *i: te.select(te.equal(highest[i], least), 0, highest[i]), name="base"
    )
    found = te.compute(
        scores.shape, lambda *i: te.exp_up_to_one(scores[i] - base[i[:-1]]), name="powers"
    )
    total = te.compute(rows, lambda *i: te.sum(found[(*i, s)], axis=s), name="total")
    return found, total


def _weighted(op: AttentionOp, scores: te.Tensor, value: te.Tensor) -> te.Tensor:
    """Return the mean of the values, weighted by the powers of the scores; 0 where all weigh nothing."""
    (weights, total), type = powers(scores), scores.dtype
    batch, *heads, queries, keys = scores.shape
    t = te.reduce_axis((0, keys), name="t")
    out = (batch, queries, *heads, value.shape[3])

    def sum_of_values(b: te.IterVar, i: te.IterVar, *at: te.IterVar) -> te.Scalar:
        *n, w = at
        own = _own_head(op, n, heads, value)
        return te.sum(weights[(b, *n, i, t)] * value[b, t, own, w].astype(type), axis=t)

    sums = te.compute(out, sum_of_values, name="sums")

    def mean(b: te.IterVar, i: te.IterVar, *at: te.IterVar) -> te.Scalar:
        weight = total[(b, *at[:-1], i)]
        return (sums[(b, i, *at)] / te.select(te.equal(weight, 0), 1, weight)).astype(value.dtype)

    return te.compute(out, mean, name="out")


@legalize(RotaryEmbeddingOp)
def rotary_embedding(
    op: RotaryEmbeddingOp,
    x: te.Tensor,
    cos: te.Tensor,
    sin: te.Tensor,
    positions: te.Tensor | None,
) -> te.Tensor:
    """Return a loop over the pairs of every head; each position is checked before its row is read."""
    batch, sequence, heads, depth = x.shape
    half, type = cos.shape[-1], wide(x.dtype)

    def kernel(ib: Any, ins: list[te.Tensor], outs: list[Any]) -> None:
        (out,) = outs
        with ib.for_(batch, name="b") as b, ib.for_(sequence, name="i") as i:
            row: tuple[Any, ...] = (b, i)
            if positions is not None:
                place = positions[b, i].astype("i64")
                inside = (place >= 0) & (place < te.cast(cos.shape[0], "i64"))
                message = op.wrong_position("{%0}", hole(cos.shape[0]))
                ib.assert_(inside, f"{op.name}: {message}", shows=True)
                row = (place.astype("index"),)
            with ib.for_(heads, name="n") as n:
                with ib.for_(half, name="j") as j:
                    first, second = (j * 2, j * 2 + 1) if op.interleaved else (j, j + half)
                    u, v = (x[b, i, n, at].astype(type) for at in (first, second))
                    c, s = (table[(*row, j)].astype(type) for table in (cos, sin))
                    out[b, i, n, first] = (u * c - v * s).astype(x.dtype)
                    out[b, i, n, second] = (u * s + v * c).astype(x.dtype)
                with ib.for_(half * 2, depth, name="j") as j:
                    out[b, i, n, j] = x[b, i, n, j]

    given = [x, cos, sin] if positions is None else [x, cos, sin, positions]
    requires = requirements(op, op.demands(*(operand.shape for operand in given)))
    return te.extern(x.shape, given, kernel, dtype=x.dtype, name="out", requires=requires)
