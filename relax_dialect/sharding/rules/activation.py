"""Functions along one axis, which every rank has whole."""

from __future__ import annotations

from relax_dialect.ops import activation as ops
from relax_dialect.sharding.registry import Factors, named, shape_of, shards


@shards(ops.SoftmaxOp, ops.LogSoftmaxOp)
def along_axis(op: ops.AxisActivationOp) -> Factors:
    rank = len(shape_of(op.x))
    names = named(rank, op.axis_of(rank))
    return Factors([names], [names])
