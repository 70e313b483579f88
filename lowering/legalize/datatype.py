"""Conversion of element types."""

from __future__ import annotations

from lowering.legalize.registry import legalize
from relax_dialect import te
from relax_dialect.ops.datatype import AstypeOp


@legalize(AstypeOp)
def astype(op: AstypeOp, x: te.Tensor) -> te.Tensor:
    """Every element converted as numpy does it."""
    return te.compute(x.shape, lambda *i: x[i].astype(op.dtype), name="out")
