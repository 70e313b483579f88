"""Adjoints of running sums: running sums from the end."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import cumulative as ops


@adjoint(ops.CumsumOp)
def cumsum(of: Applied[ops.CumsumOp], gy: Any) -> Any:
    axis = of.op.axis
    place = 0 if axis is None else axis
    back = op.flip(op.cumsum(op.flip(gy, place), place, exclusive=of.op.exclusive), place)
    return op.reshape(back, op.shape_of(of.x)) if axis is None else back
