"""Reductions: over dimensions that are cut, the parts of all ranks are reduced as well."""

from __future__ import annotations

from relax_dialect.ops import statistical as ops
from relax_dialect.ops.type_rules import is_bool, is_float, tensor_type
from relax_dialect.sharding.registry import Factors, named, shape_of, shards

KINDS = {ops.SumOp: "sum", ops.MeanOp: "avg", ops.MaxOp: "max", ops.MinOp: "min"}


@shards(*KINDS)
def reduction(op: ops.ReductionOp) -> Factors | None:
    rank, dtype = len(shape_of(op.x)), tensor_type(op.x).dtype
    if dtype is None or is_bool(dtype) or (isinstance(op, ops.MeanOp) and not is_float(dtype)):
        return None
    axes, names = op.axes_of(rank, "axis"), named(rank)
    kept = [
        None if d in axes else name for d, name in enumerate(names) if op.keepdims or d not in axes
    ]
    reduced = {f"d{axis}": KINDS[type(op)] for axis in axes}
    return Factors([names], [tuple(kept)], reduced, is_linear=isinstance(op, ops.SumOp))
