"""Normalised indices: counted from the front, and checked against the axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.broadcast_arrays import require_broadcast
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ir.types import Dims
from relax_dialect.ops.indices import in_range
from relax_dialect.prim.run_time_checks import demanded


def places(indices: Array, size: int, axis: int) -> Array:
    """Return the indices along an axis, counted from its front; raises an error for an index outside of
    it."""
    return columns(indices[..., None], (size,), axis)[0]


def columns(indices: Array, sizes: Sequence[int], first_axis: int = 0) -> list[Array]:
    """Return the indices in the last dimension of a tensor, one array for each axis; raises an error for
    the first index outside of its axis."""
    wide, limit = indices.astype(object), np.asarray(sizes[: indices.shape[-1]], dtype=object)
    outside = np.argwhere((wide < -limit) | (wide >= limit))
    if len(outside):
        place = tuple(outside[0])
        found = f"{wide[place]} for a size of {sizes[place[-1]]}"
        raise RelaxError(demanded(in_range(first_axis + place[-1]), found))
    return list(np.moveaxis(np.where(wide < 0, wide + limit, wide).astype(np.int64), -1, 0))


def joint_places(indices: Sequence[Array], shape: Sequence[int]) -> tuple[Array, ...]:
    """Return the indices of tensors, one for each of the first axes, broadcast."""
    require_broadcast(indices)
    return tuple(np.broadcast_arrays(*(places(i, shape[a], a) for a, i in enumerate(indices))))


def dims(*arrays: Array) -> list[Dims]:
    """Return the shapes as sizes of the shape algebra."""
    return [tuple(map(symbolic.const, array.shape)) for array in arrays]
