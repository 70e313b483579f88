"""Operators that make one tensor of several, or several of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lowering.legalize.manipulate import flattened, require
from lowering.legalize.registry import legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.joining import ConcatOp, MeshgridOp, SplitOp, StackOp
from relax_dialect.prim.run_time_checks import shape_holes
from relax_dialect.symbolic import Expr


def _equal_sizes(
    op: ConcatOp | StackOp, tensors: Sequence[te.Tensor], apart: int | None
) -> list[te.Requirement]:
    """Require that all tensors have the sizes of the first except along one axis, unless proved."""
    pairs = [
        (size, other)
        for x in tensors[1:]
        for d, (size, other) in enumerate(zip(x.shape, tensors[0].shape))
        if d != apart and size is not other
    ]
    shapes = [[size for d, size in enumerate(x.shape) if d != apart] for x in tensors]
    found = " and ".join(map(shape_holes, shapes))
    return [require(op, op.DEMAND, found, size, other) for size, other in pairs]


@legalize(ConcatOp)
def concat(op: ConcatOp, tensors: Sequence[te.Tensor]) -> te.Tensor:
    """Every tensor begins where the one before it ends."""
    flat = op.axis is None
    tensors = list(map(flattened, tensors)) if flat else tensors
    axis = 0 if flat else op.axis_of(tensors[0].ndim)
    requires = [] if flat else _equal_sizes(op, tensors, axis)
    return _side_by_side(result_shape(op), tensors, axis, requires)


@legalize(StackOp)
def stack(op: StackOp, tensors: Sequence[te.Tensor]) -> te.Tensor:
    """Concatenate the tensors along a new axis of size 1 each."""
    axis = op.axis_of(tensors[0].ndim + 1)
    one = symbolic.const(1)
    slices = [te.reshape(x, (*x.shape[:axis], one, *x.shape[axis:]), name=x.name) for x in tensors]
    return _side_by_side(result_shape(op), slices, axis, _equal_sizes(op, tensors, None))


def _side_by_side(
    shape: Sequence[Expr],
    tensors: Sequence[te.Tensor],
    axis: int,
    requires: Sequence[te.Requirement],
) -> te.Tensor:
    """Concatenate tensors along an axis; their other sizes are those of the result."""
    start, parts = symbolic.const(0), list[te.Part]()
    for x in tensors:
        size = x.shape[axis]
        at = [start if d == axis else 0 for d in range(len(shape))]
        own = [size if d == axis else whole for d, whole in enumerate(shape)]
        parts.append(te.part(x, at, shape=own))
        start = start + size
    return te.assemble(shape, parts, name="out", requires=requires)


@legalize(SplitOp)
def split(op: SplitOp, x: te.Tensor) -> list[te.Tensor]:
    """Every piece is read from where it begins."""
    axis = op.axis_of(x.ndim)

    def piece(start: Expr, size: Expr) -> te.Tensor:
        def element(*i: te.IterVar) -> te.Scalar:
            place: Any = i[axis] if start.value == 0 else i[axis] + start
            return x[(*i[:axis], place, *i[axis + 1 :])]

        return te.compute((*x.shape[:axis], size, *x.shape[axis + 1 :]), element, name="out")

    return [piece(start, size) for start, size in op.places(x.shape[axis])]


@legalize(MeshgridOp)
def meshgrid(op: MeshgridOp, tensors: Sequence[te.Tensor]) -> list[te.Tensor]:
    """Every vector is read along its own axis."""
    axes = op.axes()
    grid = [tensors[axes.index(d)].shape[0] for d in range(len(tensors))]
    return [
        te.compute(grid, lambda *i, x=x, axis=axis: x[i[axis]], name="out")
        for x, axis in zip(tensors, axes)
    ]
