"""Neural network operators: activations and softmax."""

from __future__ import annotations

import math

from lowering.legalize.registry import accumulate, legalize
from relax_dialect import te
from relax_dialect.ops.activation import GeluOp, ReluOp, SoftmaxOp
from relax_dialect.ops.rules import normalize_axis


@legalize(ReluOp)
def relu(op: ReluOp, x: te.Tensor) -> te.Tensor:
    """max(x, 0); a NaN stays one."""
    return te.compute(x.shape, lambda *i: te.maximum(x[i], 0), name="out")


@legalize(GeluOp)
def gelu(op: GeluOp, x: te.Tensor) -> te.Tensor:
    """x * P(X <= x) for a normal X, by the error function."""

    def element(*i: te.IterVar) -> te.Scalar:
        return 0.5 * x[i] * (1 + te.erf(x[i] * math.sqrt(0.5)))

    return te.compute(x.shape, element, name="out")


@legalize(SoftmaxOp)
def softmax(op: SoftmaxOp, x: te.Tensor) -> te.Tensor:
    """exp(x - max) / sum(exp(x - max)) along an axis: subtracting the maximum avoids overflow."""
    axis = normalize_axis(op, op.axis.value.data, x.ndim)
    rest = (*x.shape[:axis], *x.shape[axis + 1 :])
    m, k = (te.reduce_axis((0, x.shape[axis]), name=name) for name in ("m", "k"))

    def along(i: tuple[te.IterVar, ...], index: te.IterVar) -> tuple[te.IterVar, ...]:
        return (*i[:axis], index, *i[axis:])

    def without(i: tuple[te.IterVar, ...]) -> tuple[te.IterVar, ...]:
        return (*i[:axis], *i[axis + 1 :])

    highest = accumulate(te.max, rest, lambda *i: x[along(i, m)], [m], name="highest")
    powers = te.compute(x.shape, lambda *i: te.exp(x[i] - highest[without(i)]), name="powers")
    total = accumulate(te.sum, rest, lambda *i: powers[along(i, k)], [k], name="total")
    return te.compute(x.shape, lambda *i: powers[i] / total[without(i)], name="out")
