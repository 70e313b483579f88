"""Tensors as the memory that holds them."""

from __future__ import annotations

from lowering.legalize.registry import legalize
from relax_dialect import symbolic, te
from relax_dialect.ops.memory import SizeOp


@legalize(SizeOp)
def size(op: SizeOp, x: te.Tensor) -> te.Tensor:
    """The product of the sizes."""
    return te.compute((), lambda: te.cast(symbolic.product(x.shape), "i64"), name="out")
