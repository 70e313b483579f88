"""Adjoints of the elementwise operators on three tensors, or one and numbers."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import ternary as ops


@adjoint(ops.WhereOp)
def where(of: Applied[ops.WhereOp], gy: Any) -> Any:
    condition = of.inputs[0]
    return None, op.where(condition, gy, 0.0), op.where(condition, 0.0, gy)


@adjoint(ops.EwiseFmaOp)
def ewise_fma(of: Applied[ops.EwiseFmaOp], gy: Any) -> Any:
    x1, x2, _ = of.inputs
    return gy * x2, gy * x1, gy


@adjoint(ops.LerpOp)
def lerp(of: Applied[ops.LerpOp], gy: Any) -> Any:
    start, end, weight = of.inputs
    moved = gy * weight
    return gy - moved, moved, gy * (end - start)


@adjoint(ops.ClipOp)
def clip(of: Applied[ops.ClipOp], gy: Any) -> Any:
    """At a bound the cotangent passes, as PyTorch has it."""
    for bound, holds in ((of.op.min, op.greater_equal), (of.op.max, op.less_equal)):
        if bound is not None:
            gy = op.where(holds(of.x, bound), gy, 0.0)
    return gy


@adjoint(ops.MaskedFillOp)
def masked_fill(of: Applied[ops.MaskedFillOp], gy: Any) -> Any:
    return op.where(of.inputs[1], 0.0, gy), None
