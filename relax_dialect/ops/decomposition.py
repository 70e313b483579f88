"""Operators that decompose matrices."""

from __future__ import annotations

from collections.abc import Iterator

from relax_dialect.ir.types import Dims
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.fields import Operand, tensor
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import FLOAT, LeastRank


@operator("relax.det", K_OPAQUE)
class DetOp(OperatorOp):
    """The determinants of the matrices in the last two dimensions; 1 of a matrix without rows.

    It is the product of the pivots of a decomposition into triangular matrices, in which rows are swapped
    so that a pivot is the largest of its column. Computed in f64 and rounded once.

    (C1) x is floating-point.
    (C2) x has rank 2 or more.
    (C3) The matrices are square; checked at run time unless proved.
    """

    x: Operand = tensor(FLOAT, LeastRank(2, "C2"))

    def demands(self, x: Dims) -> Iterator[Demand]:
        """Yield the demand for as many rows as columns, as far as these are known."""
        rows, columns = x[-2:]
        if rows is not None and columns is not None:
            yield from equal("square matrices (C3)", columns, rows, "slice or reshape x")

    def result_shape(self, x: Dims) -> Dims:
        refuse_unmet(self, self.demands(x))
        return x[:-2]


OPS = operators_in(globals())
