"""Sums and differences of sums over ranks are such sums."""

from __future__ import annotations

from relax_dialect.ops import binary as ops
from relax_dialect.sharding.registry import Factors, elementwise, shape_of, shards


@shards(ops.AddOp, ops.SubtractOp)
def sums(op: ops.AddOp | ops.SubtractOp) -> Factors | None:
    is_linear = shape_of(op.operands[0]) == shape_of(op.operands[1])
    return elementwise(op, is_linear)
