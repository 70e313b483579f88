"""Operators on strided slices of some axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest, wide_index
from lowering.legalize.registry import known_tensor, legalize, result_shape
from lowering.legalize.steps import Steps, legalize_steps
from relax_dialect import te
from relax_dialect.ops.slices import FAR, Slice
from relax_dialect.ops.slicing import (
    DynamicStridedSliceOp,
    SliceScatterOp,
    SlicingOp,
    StridedSliceOp,
    sliced_shape,
)
from relax_dialect.prim.run_time_checks import demanded
from relax_dialect.symbolic import Expr
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


def slices(op: SlicingOp, shape: Sequence[Expr]) -> dict[int, Slice]:
    """Return the slice of every axis that is sliced."""
    return {d: s for d, s in op.slices(tuple(shape)).items() if s is not None}


def within(found: dict[int, Slice], i: Sequence[Any]) -> tuple[Any, ...]:
    """Return the index in the whole tensor of an element of the slices."""
    return tuple(_place(found[d], index) if d in found else index for d, index in enumerate(i))


def _place(slice: Slice, index: Any) -> Any:
    """Return the index of an element of a slice: a multiple of the stride after the first."""
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
    """Return a copy, and then the elements of `src` stored where the slices put them."""
    found = slices(op, input_tensor.shape)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
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


def limit(index: te.Scalar) -> te.Scalar:
    """Return a number as i64, cut off where no axis reaches, so that arithmetic with sizes does not
    overflow."""
    wide = wide_index(index)
    near = te.minimum(wide, te.const(FAR, wide.dtype)).astype("i64")
    return te.maximum(near, -FAR)


def measure(
    op: DynamicStridedSliceOp,
    x: te.Tensor,
    begin: te.Tensor,
    end: te.Tensor,
    strides: te.Tensor,
) -> list[te.Tensor]:
    """Return the length of the slice of every axis, its first index, and its stride."""

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        lengths, firsts, steps = outs
        for out in outs if x.ndim == 0 else ():
            ib.fill(out, 0)
        for d, size in enumerate(x.shape):
            step = limit(strides[d])
            ib.assert_(step != 0, f"{op.name}: {demanded(op.NOT_ZERO, '0')}", shows=True)
            forward, length = step > 0, te.cast(size, "i64")
            low = te.select(forward, te.const(0, "i64"), -1)
            high = te.select(forward, length, length - 1)
            first, stop = (_clamped(limit(b[d]), length, low, high) for b in (begin, end))
            span = te.select(forward, stop - first, first - stop)
            stride = te.select(forward, step, -step)
            lengths[d] = te.maximum((span + stride - 1) // stride, 0)
            firsts[d] = first
            steps[d] = step

    names = ["lengths", "firsts", "steps"]
    shape = (x.ndim,)
    requires = requirements(op, op.demands(x.ndim, [b.shape for b in (begin, end, strides)]))
    found = te.extern(
        [shape] * 3, [begin, end, strides], kernel, dtype="i64", name=names, requires=requires
    )
    return list(found)


def _clamped(index: te.Scalar, size: te.Scalar, low: te.Scalar, high: te.Scalar) -> te.Scalar:
    """Return an index from the front of its axis, moved to the nearest end if it is outside."""
    return te.maximum(te.minimum(te.select(index < 0, index + size, index), high), low)


def read(
    op: DynamicStridedSliceOp, x: te.Tensor, firsts: te.Tensor, steps: te.Tensor, *sizes: Expr
) -> te.Tensor:
    """Every element is read where the slices put it."""

    def element(*i: te.IterVar) -> te.Scalar:
        places = [firsts[d].astype("index") + k * steps[d].astype("index") for d, k in enumerate(i)]
        return x[tuple(places)]

    return te.compute(sizes, element, name="out")


@legalize_steps(DynamicStridedSliceOp)
def dynamic_strided_slice(
    steps: Steps,
    op: DynamicStridedSliceOp,
    x: SSAValue,
    begin: SSAValue,
    end: SSAValue,
    strides: SSAValue,
) -> Sequence[SSAValue]:
    """Measure the slices, then read their elements."""
    lengths, firsts, strided = steps.call(measure, x, begin, end, strides)
    rank = known_tensor(op, "x", x.type)[0]
    sizes = steps.sizes(lengths, *(f"length{d}" for d in range(len(rank))))
    return steps.call(read, x, firsts, strided, sizes=sizes)
