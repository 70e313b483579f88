"""Adjoints of slices: cotangents are put back where the slice was."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.one_to_one_reads import added_at, numbered
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import slicing as ops


@adjoint(ops.StridedSliceOp)
def strided_slice(of: Applied[ops.StridedSliceOp], gy: Any) -> Any:
    bounds = of.op.bounded(len(of.shape()))
    begins, ends, steps = (list(part) for part in zip(*bounds.values()))
    return op.slice_scatter(op.zeros_like(of.x), gy, begins, ends, steps, list(bounds))


@adjoint(ops.SliceScatterOp)
def slice_scatter(of: Applied[ops.SliceScatterOp], gy: Any) -> Any:
    _, src, *_ = of.inputs
    bounds = of.op.bounded(len(of.shape()))
    begins, ends, steps = (list(part) for part in zip(*bounds.values()))
    where = list(bounds)
    kept = op.slice_scatter(gy, op.zeros_like(src), begins, ends, steps, where)
    return kept, op.strided_slice(gy, where, begins, ends, steps)


@adjoint(ops.DynamicStridedSliceOp)
def dynamic_strided_slice(of: Applied[ops.DynamicStridedSliceOp], gy: Any) -> Any:
    """The numbers of the elements are sliced alike."""
    places = op.dynamic_strided_slice(numbered(of), *of.inputs[1:])
    return added_at(of.sizes(), of.type().dtype, places, gy), None, None, None
