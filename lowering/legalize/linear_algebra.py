"""Linear algebra: matmul with numpy's rules for batches and vectors."""

from __future__ import annotations

from lowering.legalize.registry import (
    accumulate,
    broadcast_index,
    broadcasts,
    equals,
    legalize,
    operand_shapes,
    result_shape,
)
from relax_dialect import te
from relax_dialect.ops.linear_algebra import MatmulOp
from relax_dialect.symbolic import Expr


@legalize(MatmulOp)
def matmul(op: MatmulOp, a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """The sum over the last dimension of `a` and the last but one of `b`, batches broadcast.

    A vector has no row dimension on the left and no column dimension on the right.
    """
    k = te.reduce_axis((0, a.shape[-1]), name="k")
    rows, columns = int(a.ndim > 1), int(b.ndim > 1)

    def element(*i: te.IterVar) -> te.Scalar:
        batches = len(i) - rows - columns
        batch, row, column = i[:batches], i[batches : batches + rows], i[batches + rows :]
        a_batch = broadcast_index(a.shape[: -1 - rows], batch)
        b_batch = broadcast_index(b.shape[: -1 - columns], batch)
        return a[(*a_batch, *row, k)] * b[(*b_batch, k, *column)]

    shape = result_shape(op)
    batch = shape[: len(shape) - rows - columns]
    requires = broadcasts(op, a.shape[: -1 - rows], batch)
    requires += broadcasts(op, b.shape[: -1 - columns], batch)
    requires += equals(op, b.shape[-1 - columns], a.shape[-1])
    return accumulate(te.sum, shape, element, [k], name="out", requires=requires)


@operand_shapes(MatmulOp)
def equal_depths(shapes: list[tuple[Expr, ...]]) -> list[tuple[Expr, ...]]:
    """Both operands have the depth that is a constant, or else that of the left one."""
    a, b = shapes
    place = -2 if len(b) > 1 else -1
    depth = min((a[-1], b[place]), key=lambda size: not size.is_constant)
    return [(*a[:-1], depth), (*b[:place], depth, *b[len(b) + place + 1 :])]
