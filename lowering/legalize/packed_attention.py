"""Attention of sequences of several lengths: query by query, its scores and the values they weigh."""

from __future__ import annotations

from lowering.legalize.demands import requirements
from lowering.legalize.registry import legalize, result_shape
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.packed_attention import AttentionVarLenOp
from relax_dialect.prim.run_time_checks import demanded, hole
from relax_dialect.symbolic import Expr
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


def check_starts(
    ib: KernelBuilder,
    op: AttentionVarLenOp,
    starts: te.Tensor,
    name: str,
    longest: te.Tensor | None,
    size: Expr,
) -> None:
    """Check that sequences follow one another within `size` positions, and respect the maximum length."""

    def check(condition: te.Scalar, demand: str, found: str) -> None:
        ib.assert_(condition, f"{op.name}: {demanded(demand, found)}", shows=True)

    before = ib.var(0, "i64", name="before")
    ascending, limit = op.ascending(name), name.replace("seqstart", "max_seqlen")
    with ib.for_(starts.shape[0], name="s") as s:
        start = ib.var(starts[s].astype("i64"), name="start").value
        check(start >= before.value, ascending, "{%0} after {%1}")
        if longest is not None:
            length = te.select(s > 0, start - before.value, 0)
            check(length <= longest[()].astype("i64"), op.not_longer(limit), "{%0} for {%1}")
        before.value = start
    check(before.value <= te.cast(size, "i64"), ascending, f"{{%0}} for {hole(size)}")


@legalize(AttentionVarLenOp)
def attention_var_len(
    op: AttentionVarLenOp,
    queries: te.Tensor,
    keys: te.Tensor,
    values: te.Tensor,
    starts: te.Tensor,
    longest: te.Tensor,
    of_keys: list[te.Tensor],
) -> te.Tensor:
    """Sequence by sequence, the scores of each query in a row of their own; the keys are copied so that
    neighbouring scores read neighbours."""
    shape, type = result_shape(op), wide(queries.dtype)
    heads, depth, size, width = queries.shape[2], queries.shape[3], keys.shape[1], shape[3]
    key_starts, most = (*of_keys, None, None)[:2]
    scale = te.const(1, type) / te.sqrt(te.cast(depth, str(type))) if op.scale is None else op.scale

    turned = te.compute(
        (keys.shape[2], depth, size), lambda n, d, j: keys[0, j, n, d], name="turned"
    )

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        scores = ib.allocate(size, type, name="scores")
        sums = ib.allocate(width, type, name="sums")
        check_starts(ib, op, starts, "seqstart_q", longest, queries.shape[1])
        own = starts if key_starts is None else key_starts
        check_starts(ib, op, own, f"seqstart_{'q' if key_starts is None else 'k'}", most, size)
        ib.fill(outs[0], te.const(0, queries.dtype))
        with ib.for_(1, starts.shape[0], name="s") as s:
            ends = [given[at].astype("index") for given in (starts, own) for at in (s - 1, s)]
            low, high, first, end = (ib.var(place, name="place").value for place in ends)
            with ib.for_(low, high, name="i") as i, ib.for_(heads, name="n") as n:
                seen = visible(ib, i - low, high - low, first, end)
                attend(ib, (i, n), seen, scores, sums)
                with ib.for_(width, name="w") as w:
                    outs[0][0, i, n, w] = sums[w].astype(queries.dtype)

    def visible(
        ib: KernelBuilder, i: te.Scalar, count: te.Scalar, first: te.Scalar, end: te.Scalar
    ) -> tuple[te.Scalar, te.Scalar]:
        """Return the first key that query i of `count` sees, and the one after the last."""
        if op.causal_mask is None:
            return first, end
        apart = (count - (end - first)).astype("i64")
        shift = te.const(0, "i64") if op.causal_mask == "TopLeft" else te.abs(apart)
        after = i + shift.astype("index") + 1
        last = ib.var(te.minimum(first + after, end), name="last").value
        if op.window_size is None:
            return first, last
        return first + te.maximum(after - op.window_size, 0), last

    def attend(
        ib: KernelBuilder,
        query: tuple[te.Scalar, te.Scalar],
        seen: tuple[te.Scalar, te.Scalar],
        scores: KernelBuffer,
        sums: KernelBuffer,
    ) -> None:
        """The mean of the values that a query sees, weighed by the powers of its scores."""
        i, n = query
        key_head, value_head = (
            te.floordiv(n, op.group(heads, given.shape[2])) for given in (keys, values)
        )
        with ib.for_(*seen, name="j") as j:
            scores[j] = te.const(0, type)
        with ib.for_(depth, name="d") as d:
            factor = ib.var(queries[0, i, n, d].astype(type), name="factor").value
            with ib.for_(*seen, name="j") as j:
                scores[j] = scores[j] + factor * turned[key_head, d, j].astype(type)
        highest = ib.var(te.min_value(type), name="highest")
        with ib.for_(*seen, name="j") as j:
            score = ib.var(scores[j] * scale, name="score").value
            scores[j] = score
            highest.value = te.maximum(highest.value, score)
        base = te.select(te.equal(highest.value, te.min_value(type)), 0, highest.value)
        weight = ib.var(te.const(0, type), name="weight")
        ib.fill(sums, te.const(0, type))
        with ib.for_(*seen, name="j") as j:
            power = ib.var(te.exp(scores[j] - base), name="power").value
            weight.value = weight.value + power
            with ib.for_(width, name="w") as w:
                sums[w] = sums[w] + power * values[0, j, value_head, w].astype(type)
        divisor = te.select(te.equal(weight.value, 0), 1, weight.value)
        with ib.for_(width, name="w") as w:
            sums[w] = sums[w] / divisor

    given = [queries, keys, values, starts, longest, *of_keys]
    requires = requirements(op, op.demands(*(x.shape for x in given)))
    read = [queries, turned, values, *given[3:]]
    return te.extern(shape, read, kernel, dtype=queries.dtype, name="out", requires=requires)
