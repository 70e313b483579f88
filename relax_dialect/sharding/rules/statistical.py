"""Reductions: over dimensions that are cut, the parts of all ranks are reduced as well."""

from __future__ import annotations

from relax_dialect.ops import statistical as ops
from relax_dialect.sharding.registry import Factors, named, shape_of, shards

KINDS = {ops.SumOp: "sum", ops.MeanOp: "avg", ops.MaxOp: "max", ops.MinOp: "min"}


@shards(*KINDS)
def reduction(op: ops.ReductionOp) -> Factors:
    rank = len(shape_of(op.x))
    axes, names = op.axes_of(rank, "axis"), named(rank)
    kept = [
        None if d in axes else name for d, name in enumerate(names) if op.keepdims or d not in axes
    ]
    reduced = {f"d{axis}": KINDS[type(op)] for axis in axes}
    return Factors([names], [tuple(kept)], reduced, is_linear=isinstance(op, ops.SumOp))
