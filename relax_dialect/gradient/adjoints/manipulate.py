"""Adjoints of operators that change the shape or the order of a tensor."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import manipulate as ops


@adjoint(ops.ReshapeOp, ops.FlattenOp, ops.BatchFlattenOp, ops.ExpandDimsOp, ops.SqueezeOp)
def reshaped(
    of: Applied[
        ops.ReshapeOp | ops.FlattenOp | ops.BatchFlattenOp | ops.ExpandDimsOp | ops.SqueezeOp
    ],
    gy: Any,
) -> Any:
    return op.reshape(gy, op.shape_of(of.x))


@adjoint(ops.PermuteDimsOp)
def permute_dims(of: Applied[ops.PermuteDimsOp], gy: Any) -> Any:
    rank = len(of.shape())
    axes = of.op.permutation(rank)
    return op.permute_dims(gy, [axes.index(axis) for axis in range(rank)])


@adjoint(ops.BroadcastToOp)
def broadcast_to(of: Applied[ops.BroadcastToOp], gy: Any) -> Any:
    return gy, None  # summed by the transform
