"""Indices as places in an array: counted from the front, and never outside of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.values import Array
from relax_dialect.ops.indices import BROADCAST, in_range
from relax_dialect.types import Dims


def places(indices: Array, size: int, axis: int) -> Array:
    """The indices along an axis, counted from its front; an error where one is outside of it."""
    wide = indices.astype(object)
    outside = wide[(wide < -size) | (wide >= size)]
    if outside.size:
        raise RelaxError(f"expected {in_range(axis)}, found {outside[0]} for a size of {size}")
    return np.where(wide < 0, wide + size, wide).astype(np.int64)


def columns(indices: Array, shape: Sequence[int], first: int = 0) -> list[Array]:
    """The places that stand in the last dimension of the indices, one array for each axis."""
    axes = range(first, first + indices.shape[-1])
    return [places(indices[..., axis - first], shape[axis], axis) for axis in axes]


def joint_places(indices: Sequence[Array], shape: Sequence[int]) -> tuple[Array, ...]:
    """The places of tensors of indices, one for each of the first axes, broadcast."""
    found = [places(index, shape[axis], axis) for axis, index in enumerate(indices)]
    try:
        return tuple(np.broadcast_arrays(*found))
    except ValueError:
        shapes = " and ".join(str(list(index.shape)) for index in indices)
        raise RelaxError(f"expected {BROADCAST}, found {shapes}") from None


def dims(*arrays: Array) -> list[Dims]:
    """The shapes as sizes of the shape algebra."""
    return [tuple(map(symbolic.const, array.shape)) for array in arrays]
