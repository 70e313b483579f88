"""Linear algebra: matmul with numpy's rules for batches and vectors."""

from __future__ import annotations

from lowering.legalize.registry import accumulate, broadcast_index, legalize, result_shape
from relax_dialect import te
from relax_dialect.ops.linear_algebra import MatmulOp


@legalize(MatmulOp)
def matmul(op: MatmulOp, a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """The sum over the last dimension of `a` and the last but one of `b`, batches broadcast.

    A vector has no row dimension on the left and no column dimension on the right.
    """
    depths = (a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0])
    k = te.reduce_axis((0, min(depths, key=lambda size: not size.is_constant)), name="k")
    rows, columns = int(a.ndim > 1), int(b.ndim > 1)

    def element(*i: te.IterVar) -> te.Scalar:
        batches = len(i) - rows - columns
        batch, row, column = i[:batches], i[batches : batches + rows], i[batches + rows :]
        a_batch = broadcast_index(a.shape[: -1 - rows], batch)
        b_batch = broadcast_index(b.shape[: -1 - columns], batch)
        return a[(*a_batch, *row, k)] * b[(*b_batch, k, *column)]

    return accumulate(te.sum, result_shape(op), element, [k], name="out")
