"""Operators that write elements at indices; f16 and bf16 accumulate in f32."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.broadcast_arrays import require_broadcast
from relax_dialect.interpret.indices import columns, dims, joint_places, places
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.windows import wide
from relax_dialect.ops.demands import require
from relax_dialect.ops.scattering import VALUES, IndexPutOp, ScatterElementsOp, ScatterNdOp

COMBINE: dict[str, Any] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "mean": np.add,
}
"""The functions that combine an element and its update."""


def scattered(
    data: Array, index: Sequence[Array], updates: Array, reduction: str, rank: int
) -> Array:
    """Return the data with the updates combined with its elements at an index of a rank, one by one in
    row-major order."""
    shape = updates.shape[:rank]
    flat = tuple(np.broadcast_to(i, shape).reshape(-1) for i in index)
    rows = updates.reshape((prod(shape), *updates.shape[rank:]))
    if reduction == "update":
        result = data.copy()
        result[flat] = rows
        return result
    total, more = data.astype(wide(data.dtype)), rows.astype(wide(data.dtype))
    with np.errstate(all="ignore"):
        COMBINE[reduction].at(total, flat, more)
        if reduction == "mean":
            count = np.ones(data.shape, np.int64)
            np.add.at(count, flat, 1)
            divide = np.floor_divide if data.dtype.kind in "iu" else np.divide
            total = divide(total, count.astype(total.dtype))
    return total.astype(data.dtype)


def scatter_elements(op: ScatterElementsOp, data: Array, indices: Array, updates: Array) -> Array:
    """Combine every update with the element at its own position, with the index along the axis."""
    require(op.demands(*dims(data, indices, updates)))
    axis = op.axis_of(data.ndim)
    index = list(np.indices(indices.shape, sparse=True))
    index[axis] = places(indices, data.shape[axis], axis)
    return scattered(data, index, updates, op.reduction, data.ndim)


def scatter_nd(op: ScatterNdOp, data: Array, indices: Array, updates: Array) -> Array:
    """Return the slices at the rows of indices combined with updates."""
    require(op.demands(*dims(data, indices, updates)))
    index, rank = columns(indices, data.shape), indices.ndim - 1
    if index:
        return scattered(data, index, updates, op.reduction, rank)
    only = [np.zeros(indices.shape[:-1], np.int64)]
    return scattered(data[None], only, updates, op.reduction, rank)[0]


def index_put(op: IndexPutOp, data: Array, indices: Sequence[Array], values: Array) -> Array:
    """Apply numpy's assignment to an advanced index."""
    require_broadcast(indices)
    joint = np.broadcast_shapes(*(i.shape for i in indices))
    shape = (*joint, *data.shape[len(indices) :])
    try:
        updates = np.broadcast_to(values, shape)
    except ValueError:
        found = f"{list(values.shape)} for {list(shape)}"
        raise RelaxError(f"expected {VALUES}, found {found}") from None
    index = joint_places(indices, data.shape)
    return scattered(data, index, updates, op.reduction, index[0].ndim)
