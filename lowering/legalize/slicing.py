"""Operators on every so many elements of some axes, from one index to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest
from lowering.legalize.registry import legalize, result_shape
from relax_dialect import te
from relax_dialect.ops.slicing import (
    Slice,
    SliceScatterOp,
    SlicingOp,
    StridedSliceOp,
    sliced_shape,
)
from relax_dialect.symbolic import Expr
from relax_dialect.te.kernel import Buffer, KernelBuilder


def slices(op: SlicingOp, shape: Sequence[Expr]) -> dict[int, Slice]:
    """The slice of every axis that is sliced."""
    return {d: s for d, s in op.slices(tuple(shape)).items() if s is not None}


def within(found: dict[int, Slice], i: Sequence[Any]) -> tuple[Any, ...]:
    """Where an element of the slices stands in the whole tensor."""
    return tuple(_place(found[d], index) if d in found else index for d, index in enumerate(i))


def _place(slice: Slice, index: Any) -> Any:
    """The place of an element of a slice: a multiple of the stride behind the first."""
    steps = {1: index, -1: -index}.get(slice.stride)
    steps = index * slice.stride if steps is None else steps
    return steps if slice.first.value == 0 else slice.first + steps


@legalize(StridedSliceOp)
def strided_slice(op: StridedSliceOp, x: te.Tensor, bounds: object) -> te.Tensor:
    """Every element is read where the slices put it."""
    found = slices(op, x.shape)
    requires = requirements(op, op.demands(x.shape, op.bounded(x.ndim)))
    return te.compute(
        result_shape(op), lambda *i: x[within(found, i)], name="out", requires=requires
    )


@legalize(SliceScatterOp)
def slice_scatter(
    op: SliceScatterOp, input_tensor: te.Tensor, src: te.Tensor, bounds: object
) -> te.Tensor:
    """A copy, and then the elements of `src` stored where the slices put them."""
    found = slices(op, input_tensor.shape)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[Buffer]) -> None:
        ib.copy(outs[0], ins[0])
        with nest(ib, src.shape) as i:
            outs[0][within(found, i)] = ins[1][i]

    sliced = sliced_shape(tuple(input_tensor.shape), found)
    return te.extern(
        input_tensor.shape,
        [input_tensor, src],
        kernel,
        dtype=src.dtype,
        name="out",
        requires=requirements(op, op.demands(tuple(src.shape), sliced)),
    )
