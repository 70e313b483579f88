"""Strided slices along some axes, by Python's slices."""

from __future__ import annotations

from collections.abc import Sequence

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.demands import require
from relax_dialect.ops.slicing import (
    DynamicStridedSliceOp,
    SliceScatterOp,
    SlicingOp,
    StridedSliceOp,
)


def slices(op: SlicingOp, x: Array, bounds: Sequence[Sequence[int]]) -> tuple[slice, ...]:
    """Return a slice for every axis; begin and end are properties of the op or operands."""
    found = [slice(None)] * x.ndim
    if not bounds:
        assert op.begin is not None and op.end is not None
        bounds = (op.begin, op.end)
    for axis, begin, end, step in zip(op.axes, *bounds, op.steps(), strict=True):
        found[axis] = slice(begin, end, step)
    return tuple(found)


def strided_slice(op: StridedSliceOp, x: Array, bounds: Sequence[Sequence[int]]) -> Array:
    """Return the elements within the slices."""
    bounded = op.bounded(x.ndim)
    for axis, begin, end in zip(bounded, *bounds) if bounds else ():
        bounded[axis] = (symbolic.const(begin), symbolic.const(end), bounded[axis][2])
    require(op.demands(dims(x)[0], bounded))
    return x[slices(op, x, bounds)]


def slice_scatter(
    op: SliceScatterOp, input_tensor: Array, src: Array, bounds: Sequence[Sequence[int]]
) -> Array:
    """Return a copy with the elements within the slices replaced."""
    result, within = input_tensor.copy(), slices(op, input_tensor, bounds)
    require(op.demands(*dims(src, result[within])))
    result[within] = src
    return result


def dynamic_strided_slice(
    op: DynamicStridedSliceOp, x: Array, begin: Array, end: Array, strides: Array
) -> Array:
    """Return the elements within the slice of every axis."""
    require(op.demands(x.ndim, dims(begin, end, strides)))
    if 0 in strides:
        raise RelaxError(f"expected {op.NOT_ZERO}, found 0")
    return x[tuple(slice(*map(int, bounds)) for bounds in zip(begin, end, strides))]
