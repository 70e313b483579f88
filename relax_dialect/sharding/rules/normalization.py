"""Normalization: over axes that every rank has whole."""

from __future__ import annotations

from relax_dialect.ops import normalization as ops
from relax_dialect.sharding.registry import Factors, named, shape_of, shards


@shards(ops.LayerNormOp, ops.RmsNormOp)
def norm(op: ops.LayerNormOp | ops.RmsNormOp) -> Factors:
    rank = len(shape_of(op.x))
    names = named(rank, *op.axes_of(rank))
    rest = [(None,) * len(shape_of(x)) for x in op.operands[1:]]
    return Factors([names, *rest], [names])
