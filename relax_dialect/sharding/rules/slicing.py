"""Slices of axes that every rank has whole."""

from __future__ import annotations

from relax_dialect.ops import slicing as ops
from relax_dialect.sharding.registry import Factors, named, shape_of, shards


@shards(ops.StridedSliceOp)
def strided_slice(op: ops.StridedSliceOp) -> Factors:
    rank = len(shape_of(op.x))
    names = named(rank, *op.axes_of(rank))
    return Factors([names, *[None] * len(op.bounds)], [names], is_linear=True)


@shards(ops.SliceScatterOp)
def slice_scatter(op: ops.SliceScatterOp) -> Factors:
    rank = len(shape_of(op.input_tensor))
    names = named(rank, *op.axes_of(rank))
    return Factors([names, names, *[None] * len(op.bounds)], [names], is_linear=True)
