"""Adjoints of the sums that undo broadcasting: broadcasting."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import collapse as ops


@adjoint(ops.CollapseSumToOp, ops.CollapseSumLikeOp)
def collapse_sum(of: Applied[ops.CollapseSumToOp | ops.CollapseSumLikeOp], gy: Any) -> Any:
    return op.broadcast_to(gy, op.shape_of(of.x)), None
