"""Operators that read and write elements at indices: take, gather, scatter, slices."""

from __future__ import annotations

from typing import Any

from lowering.legalize import scattering, slicing  # noqa: F401 - their rules
from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest, places, wide_index
from lowering.legalize.registry import broadcast_index, broadcasts, legalize, result_shape
from relax_dialect import te
from relax_dialect.ops.indexing import GatherElementsOp, GatherNdOp, IndexTensorOp, TakeOp
from relax_dialect.prim.run_time_checks import demanded
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import kind
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


@legalize(TakeOp)
def take(op: TakeOp, x: te.Tensor, indices: te.Tensor) -> te.Tensor:
    """Return the slices of x at the indices."""
    axis = op.axis_of(x.ndim)
    size = x.shape[axis]
    if op.mode == "nan":
        return _or_nan(op, x, indices, axis)
    inside = places(op, indices, [size], axis) if op.mode == "fast" else None
    found = inside or _inside(op, indices, size, axis)

    def element(*i: te.IterVar) -> te.Scalar:
        index = found[i[axis : axis + indices.ndim]]
        return x[(*i[:axis], index, *i[axis + indices.ndim :])]

    return te.compute(result_shape(op), element, name="out")


def _or_nan(op: TakeOp, x: te.Tensor, indices: te.Tensor, axis: int) -> te.Tensor:
    """Return the slices of x where an index is within the axis, else NaN."""

    def element(*i: te.IterVar) -> te.Scalar:
        after = axis + indices.ndim
        index = wide_index(indices[i[axis:after]])
        inside = index < te.cast(x.shape[axis], str(index.dtype))
        if kind(index.dtype) != "unsigned":
            inside = inside & (index >= 0)
        value = x[(*i[:axis], index.astype("i64"), *i[after:])]
        return te.if_then_else(inside, value, te.const(float("nan"), x.dtype))

    return te.compute(result_shape(op), element, name="out")


def _inside(op: TakeOp, indices: te.Tensor, size: Expr, axis: int) -> te.Tensor:
    """Return the indices clipped to the axis, or modulo its size; the program fails if the axis is
    empty."""

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        with nest(ib, indices.shape) as i:
            index = wide_index(ins[0][i])
            length = te.cast(size, str(index.dtype))
            ib.assert_(length > 0, f"{op.name}: {demanded(op.demand(axis), 'none')}")
            within = te.maximum(te.minimum(index, length - 1), 0)
            outs[0][i] = (index % length if op.mode == "wrap" else within).astype("i64")

    return te.extern(indices.shape, [indices], kernel, dtype="i64", name="places")


@legalize(GatherElementsOp)
def gather_elements(op: GatherElementsOp, data: te.Tensor, indices: te.Tensor) -> te.Tensor:
    """Return the element at an index along the axis, at the same position along the others."""
    axis = op.axis_of(data.ndim)
    found = places(op, indices, [data.shape[axis]], axis)
    return te.compute(
        indices.shape,
        lambda *i: data[(*i[:axis], found[i], *i[axis + 1 :])],
        name="out",
        requires=requirements(op, op.demands(data.shape, indices.shape)),
    )


@legalize(GatherNdOp)
def gather_nd(op: GatherNdOp, data: te.Tensor, indices: te.Tensor) -> te.Tensor:
    """Return the slices at the rows of indices."""
    depth = indices.shape[-1].value or 0
    counted = data.shape[op.batch_dims : op.batch_dims + depth]
    found = places(op, indices, counted, op.batch_dims) if depth else indices
    front = indices.ndim - 1

    def element(*i: te.IterVar) -> te.Scalar:
        row = [found[(*i[:front], d)] for d in range(depth)]
        return data[(*i[: op.batch_dims], *row, *i[front:])]

    requires = requirements(op, op.demands(data.shape, indices.shape))
    return te.compute(result_shape(op), element, name="out", requires=requires)


@legalize(IndexTensorOp)
def index_tensor(op: IndexTensorOp, data: te.Tensor, indices: list[te.Tensor]) -> te.Tensor:
    """Return the slices at the indices, which are read as broadcasting puts them."""
    shape = result_shape(op)
    rank = len(shape) - data.ndim + len(indices)
    found = [places(op, index, [data.shape[d]], d) for d, index in enumerate(indices)]

    def element(*i: Any) -> te.Scalar:
        front = i[:rank]
        return data[(*(f[broadcast_index(f.shape, front)] for f in found), *i[rank:])]

    requires = [r for f in found for r in broadcasts(op, f.shape, shape[:rank])]
    return te.compute(shape, element, name="out", requires=requires)
