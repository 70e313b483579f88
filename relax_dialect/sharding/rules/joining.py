"""Tensors joined and split along an axis that every rank has whole."""

from __future__ import annotations

from relax_dialect.ops import joining as ops
from relax_dialect.sharding.registry import Factors, named, shape_of, shards


@shards(ops.ConcatOp)
def concat(op: ops.ConcatOp) -> Factors | None:
    if op.axis is None:
        return None
    rank = len(shape_of(op.result))
    names = named(rank, op.axis_of(rank))
    return Factors([names] * len(op.tensors), [names], is_linear=True)


@shards(ops.SplitOp)
def split(op: ops.SplitOp) -> Factors:
    rank = len(shape_of(op.x))
    names = named(rank, op.axis_of(rank))
    return Factors([names], [names] * len(op.results), is_linear=True)
