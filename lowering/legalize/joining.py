"""Operators that make one tensor of several, or several of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lowering.legalize.manipulate import flattened, require
from lowering.legalize.registry import legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.joining import ConcatOp, MeshgridOp, SplitOp, StackOp
from relax_dialect.run_time_checks import shape_holes
from relax_dialect.symbolic import Expr


def chosen(
    index: te.Scalar, ends: Sequence[Expr], piece: Callable[[int], te.Scalar], first: int = 0
) -> te.Scalar:
    """The element of the piece that an index falls in: piece k ends before `ends[k]`.

    A tree of branches, so that many pieces nest little; compilers split the loop at the ends of few.
    """
    if len(ends) == 1:
        return piece(first)
    middle = len(ends) // 2
    return te.if_then_else(
        index < ends[middle - 1],
        chosen(index, ends[:middle], piece, first),
        chosen(index, ends[middle:], piece, first + middle),
    )


def _equal_sizes(
    op: ConcatOp | StackOp, tensors: Sequence[te.Tensor], apart: int | None
) -> list[te.Requirement]:
    """That all tensors have the sizes of the first but along one axis, as far as not proved."""
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
    """Every element from the tensor that its place along the axis falls in."""
    flat = op.axis is None
    tensors = list(map(flattened, tensors)) if flat else tensors
    axis = 0 if flat else op.axis_of(tensors[0].ndim)
    sizes = [x.shape[axis] for x in tensors]
    ends = [symbolic.total(sizes[: end + 1]) for end in range(len(sizes))]

    def element(*i: te.IterVar) -> te.Scalar:
        def piece(number: int) -> te.Scalar:
            x, start = tensors[number], ends[number] - sizes[number]
            place = i[axis] - start if number else i[axis]
            return x[(*i[:axis], place, *i[axis + 1 :])]

        return chosen(i[axis], ends, piece)

    requires = [] if flat else _equal_sizes(op, tensors, axis)
    return te.compute(result_shape(op), element, name="out", requires=requires)


@legalize(StackOp)
def stack(op: StackOp, tensors: Sequence[te.Tensor]) -> te.Tensor:
    """Every element from the tensor that its place along the new axis names."""
    axis = op.axis_of(tensors[0].ndim)
    ends = [symbolic.const(end + 1) for end in range(len(tensors))]

    def element(*i: te.IterVar) -> te.Scalar:
        return chosen(i[axis], ends, lambda number: tensors[number][(*i[:axis], *i[axis + 1 :])])

    requires = _equal_sizes(op, tensors, None)
    return te.compute(result_shape(op), element, name="out", requires=requires)


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
