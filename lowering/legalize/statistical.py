"""Reductions over axes: sum, max, mean."""

from __future__ import annotations

from collections.abc import Callable

from lowering.legalize.registry import accumulate, legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.statistical import MaxOp, MeanOp, ReductionOp, SumOp


def _reduce(
    op: ReductionOp,
    x: te.Tensor,
    reducer: te.Reducer,
    finish: Callable[[te.Scalar], te.Scalar] | None = None,
) -> te.Tensor:
    axes = sorted(op.axes(x.ndim))
    if not axes:
        return te.compute(x.shape, lambda *i: x[i], name="out")
    over = {axis: te.reduce_axis((0, x.shape[axis]), name=f"k{axis}") for axis in axes}

    def element(*i: te.IterVar) -> te.Scalar:
        kept = iter([index for d, index in enumerate(i) if not (op.keeps_dims and d in over)])
        return x[tuple(over[d] if d in over else next(kept) for d in range(x.ndim))]

    return accumulate(reducer, result_shape(op), element, list(over.values()), "out", finish)


@legalize(SumOp)
def sum(op: SumOp, x: te.Tensor) -> te.Tensor:
    """The sum over some axes."""
    return _reduce(op, x, te.sum)


@legalize(MaxOp)
def max(op: MaxOp, x: te.Tensor) -> te.Tensor:
    """The maximum over some axes; a NaN wins."""
    return _reduce(op, x, te.max)


@legalize(MeanOp)
def mean(op: MeanOp, x: te.Tensor) -> te.Tensor:
    """The sum over some axes divided by the number of elements summed."""
    count = symbolic.product(x.shape[axis] for axis in op.axes(x.ndim))
    return _reduce(op, x, te.sum, finish=lambda total: total / count)
