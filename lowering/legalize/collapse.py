"""Operators that undo broadcasting: sums over the axes it has put in front or repeated."""

from __future__ import annotations

from typing import Any

from lowering.legalize.manipulate import ones_or_equal
from lowering.legalize.registry import accumulate, legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.collapse import CollapseOp, CollapseSumLikeOp, CollapseSumToOp


@legalize(CollapseSumToOp, CollapseSumLikeOp)
def collapse_sum(op: CollapseOp, x: te.Tensor, *_: te.Tensor) -> te.Tensor:
    """Return the sum over leading axes and axes that become 1.

    If it is not known whether an axis of size n becomes m = 1 or stays m = n, the sum runs over
    `n floordiv m` elements, m apart.
    """
    shape = result_shape(op)
    leading = x.ndim - len(shape)
    sums: list[te.IterVar] = []

    def sum_axis(extent: symbolic.Expr) -> te.IterVar:
        sums.append(te.reduce_axis((0, extent), name=f"k{len(sums)}"))
        return sums[-1]

    front = [sum_axis(size) for size in x.shape[:leading]]
    steps = [
        None if old is new else sum_axis(old if new.value == 1 else old // symbolic.maximum(new, 1))
        for old, new in zip(x.shape[leading:], shape)
    ]

    def element(*i: te.IterVar) -> te.Scalar:
        index: list[Any] = [*front]
        for place, step, new in zip(i, steps, shape):
            index.append(place if step is None else step if new.value == 1 else place + step * new)
        return x[tuple(index)]

    if not sums:
        return te.compute(shape, element, name="out")
    requires = ones_or_equal(op, op.DEMAND, shape, x.shape)
    return accumulate(te.sum, shape, element, sums, "out", requires=requires)
