"""Operators that read and write elements at indices: take, gather, scatter, slices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import scattering, slicing
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import columns, dims, joint_places, places
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.demands import require
from relax_dialect.ops.indexing import GatherElementsOp, GatherNdOp, IndexTensorOp, TakeOp
from relax_dialect.ops.scattering import IndexPutOp, ScatterElementsOp, ScatterNdOp
from relax_dialect.ops.slicing import DynamicStridedSliceOp, SliceScatterOp, StridedSliceOp


def take(op: TakeOp, x: Array, indices: Array) -> Array:
    """Return the slices of x at the indices along the axis."""
    axis = op.axis_of(x.ndim)
    size, wide = x.shape[axis], indices.astype(object)
    if op.mode == "fast":
        return np.take(x, places(indices, size, axis), axis)
    if op.mode == "nan":
        outside = (wide < 0) | (wide >= size)
        padded = np.append(
            x, np.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), np.nan, x.dtype), axis
        )
        return np.take(padded, np.where(outside, size, wide).astype(np.int64), axis)
    if size == 0 and indices.size:
        raise RelaxError(f"expected {op.demand(axis)}, found none")
    inside = wide % size if op.mode == "wrap" else np.clip(wide, 0, max(size - 1, 0))
    return np.take(x, np.asarray(inside, np.int64), axis)


def gather_elements(op: GatherElementsOp, data: Array, indices: Array) -> Array:
    """Return the elements at the positions of the indices, with the index along the axis."""
    require(op.demands(*dims(data, indices)))
    axis = op.axis_of(data.ndim)
    index = list(np.indices(indices.shape, sparse=True))
    index[axis] = places(indices, data.shape[axis], axis)
    return data[tuple(index)]


def gather_nd(op: GatherNdOp, data: Array, indices: Array) -> Array:
    """Return the slices at the rows of indices, for every element of the batch."""
    require(op.demands(*dims(data, indices)))
    batch = np.indices(indices.shape[: op.batch_dims], sparse=True)
    more = (1,) * (indices.ndim - 1 - op.batch_dims)
    index = (
        *(b.reshape(b.shape + more) for b in batch),
        *columns(indices, data.shape[op.batch_dims :], op.batch_dims),
    )
    return data[index] if index else np.broadcast_to(data, indices.shape[:-1] + data.shape)


def index_tensor(op: IndexTensorOp, data: Array, indices: Sequence[Array]) -> Array:
    """Apply numpy's advanced indexing."""
    return data[joint_places(indices, data.shape)]


@register_impls
class IndexingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.indexing`."""

    take = operator_with_attributes(TakeOp, take)
    gather_elements = operator_with_attributes(GatherElementsOp, gather_elements)
    gather_nd = operator_with_attributes(GatherNdOp, gather_nd)
    index_tensor = operator_with_attributes(IndexTensorOp, index_tensor)
    scatter_elements = operator_with_attributes(ScatterElementsOp, scattering.scatter_elements)
    scatter_nd = operator_with_attributes(ScatterNdOp, scattering.scatter_nd)
    index_put = operator_with_attributes(IndexPutOp, scattering.index_put)
    strided_slice = operator_with_attributes(StridedSliceOp, slicing.strided_slice)
    slice_scatter = operator_with_attributes(SliceScatterOp, slicing.slice_scatter)
    dynamic_strided_slice = operator_with_attributes(
        DynamicStridedSliceOp, slicing.dynamic_strided_slice
    )
