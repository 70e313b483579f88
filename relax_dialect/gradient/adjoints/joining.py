"""Adjoints of operators that make one tensor of several, or several of one."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import joining as ops


def piece(x: Any, axis: int, start: Any, end: Any) -> Any:
    """A part of a tensor along an axis."""
    return op.strided_slice(x, [axis], [start], [end], assume_inbound=True)


@adjoint(ops.ConcatOp)
def concat(of: Applied[ops.ConcatOp], gy: Any) -> Any:
    axis, found, start = of.op.axis, [], symbolic.const(0)
    for index, x in enumerate(of.inputs):
        size = symbolic.product(of.sizes(index)) if axis is None else of.sizes(index)[axis]
        part = piece(gy, 0 if axis is None else axis, start, start + size)
        found.append(op.reshape(part, op.shape_of(x)) if axis is None else part)
        start = start + size
    return found


@adjoint(ops.StackOp)
def stack(of: Applied[ops.StackOp], gy: Any) -> Any:
    axis = of.op.axis
    parts = op.split(gy, len(of.inputs), axis)
    return (
        [op.squeeze(parts[i], [axis]) for i in range(len(of.inputs))]
        if len(of.inputs) > 1
        else [op.squeeze(gy, [axis])]
    )


@adjoint(ops.SplitOp)
def split(of: Applied[ops.SplitOp], *pieces: Any) -> Any:
    return op.concat(list(pieces), axis=of.op.axis)


@adjoint(ops.MeshgridOp)
def meshgrid(of: Applied[ops.MeshgridOp], *grids: Any) -> Any:
    rank = len(of.inputs)
    swapped = of.op.indexing == "xy" and rank > 1
    places = [1, 0, *range(2, rank)] if swapped else list(range(rank))
    return [op.sum(g, [a for a in range(rank) if a != p]) for g, p in zip(grids, places)]
