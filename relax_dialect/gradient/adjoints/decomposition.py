"""The adjoint of determinants."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import decomposition as ops


@adjoint(ops.DetOp)
def det(of: Applied[ops.DetOp], gy: Any) -> Any:
    """The cofactors, which exist for singular matrices as well: the cofactor of row i and column j is
    the determinant of the matrix with row i replaced by the unit vector j. So n rows take n^2
    determinants."""
    rank, n = len(of.shape()), of.sizes()[-1]
    dtype = of.type().dtype
    replaced = op.expand_dims(op.eye(n, dtype="i1"), [1, 3])  # i, j, row, column
    unit = op.expand_dims(op.eye(n, dtype=dtype), [0, 2])
    found = op.det(op.where(replaced, unit, op.expand_dims(of.x, [rank - 2, rank - 1])))
    return op.expand_dims(gy, [-2, -1]) * found
