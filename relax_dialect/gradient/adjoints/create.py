"""Adjoints of operators that create tensors, from sizes only or from one number."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant
from relax_dialect.ops import create as ops

constant(
    "it depends on sizes alone",
    ops.ZerosLikeOp,
    ops.OnesLikeOp,
    ops.EyeLikeOp,
    ops.ZerosOp,
    ops.OnesOp,
    ops.EyeOp,
)


@adjoint(ops.FullOp, ops.FullLikeOp)
def full(of: Applied[ops.FullOp | ops.FullLikeOp], gy: Any) -> Any:
    return None, op.sum(gy)


@adjoint(ops.TrilOp)
def tril(of: Applied[ops.TrilOp], gy: Any) -> Any:
    return op.tril(gy, of.op.k)


@adjoint(ops.TriuOp)
def triu(of: Applied[ops.TriuOp], gy: Any) -> Any:
    return op.triu(gy, of.op.k)
