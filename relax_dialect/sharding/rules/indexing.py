"""Rows of tables: every rank has the whole axis that is indexed."""

from __future__ import annotations

from relax_dialect.ops import indexing as ops
from relax_dialect.sharding.registry import Factors, named, shape_of, shards


@shards(ops.TakeOp)
def take(op: ops.TakeOp) -> Factors | None:
    if op.axis is None:
        return None
    rank = len(shape_of(op.x))
    axis, table = op.axis_of(rank), list(named(rank))
    indices = named(len(shape_of(op.indices)), prefix="i")
    result = (*table[:axis], *indices, *table[axis + 1 :])
    table[axis] = None
    return Factors([tuple(table), indices], [result])
