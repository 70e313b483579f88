"""Adjoints of matrix products."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import linear_algebra as ops


def transposed(x: Any, rank: int) -> Any:
    """The last two axes exchanged."""
    return op.permute_dims(x, [*range(rank - 2), rank - 1, rank - 2])


@adjoint(ops.MatmulOp)
def matmul(of: Applied[ops.MatmulOp], gy: Any) -> Any:
    """`gy @ rhs^T` and `lhs^T @ gy`; a vector is a matrix of one row or column."""
    lhs, rhs = of.inputs
    ranks = len(of.shape(0)), len(of.shape(1))
    left = op.expand_dims(lhs, [0]) if ranks[0] == 1 else lhs
    right = op.expand_dims(rhs, [1]) if ranks[1] == 1 else rhs
    rank = max(2, *ranks)
    if ranks[1] == 1:
        gy = op.expand_dims(gy, [-1])
    if ranks[0] == 1:
        gy = op.expand_dims(gy, [-2])
    of_left = op.matmul(gy, transposed(right, max(2, ranks[1])))
    of_right = op.matmul(transposed(left, max(2, ranks[0])), gy)
    if ranks[0] == 1:
        of_left = op.squeeze(of_left, [-2])
    if ranks[1] == 1:
        of_right = op.squeeze(of_right, [-1])
    del rank
    return of_left, of_right


@adjoint(ops.LinearOp)
def linear(of: Applied[ops.LinearOp], gy: Any) -> Any:
    """`gy @ weight`, `gy^T @ x` over all rows, and for the bias the sum over all rows."""
    x, weight, *_ = of.inputs
    width_in, width_out = of.shape(1)[1], of.shape(1)[0]
    rows = op.reshape(gy, [-1, width_out])
    of_weight = op.matmul(op.permute_dims(rows, [1, 0]), op.reshape(x, [-1, width_in]))
    return op.matmul(gy, weight), of_weight, gy
