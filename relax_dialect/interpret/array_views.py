"""Single elements, slices, and other shapes of the same elements, for tensors and memrefs alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, ShapedType
from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import Array


def check_indices(array: Array, indices: Sequence[Any]) -> None:
    """Refuse indices out of bounds; numpy by itself would count negative ones from the end."""
    for dimension, (index, size) in enumerate(zip(indices, array.shape, strict=True)):
        if isinstance(index, int):
            low = high = index
        elif np.size(index) == 0:
            continue
        else:
            low, high = np.min(index), np.max(index)
        if low < 0 or high >= size:
            raise RelaxError(
                f"expected an index from 0 to {size - 1} in dimension {dimension} of size {size}, "
                f"found {low if low < 0 else high}"
            )


def element(array: Array, indices: Sequence[Any]) -> Any:
    """Return one element, or one for each point if indices are arrays."""
    check_indices(array, indices)
    return array[tuple(indices)]


def sliced(
    array: Array,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
) -> Array:
    """Return the part of an array that offsets, sizes and strides name, as a view."""
    for d, (offset, size, stride) in enumerate(zip(offsets, sizes, strides)):
        last = offset + (size - 1) * stride
        if size < 0 or (size and not (0 <= offset < array.shape[d] and 0 <= last < array.shape[d])):
            raise RelaxError(
                f"expected a slice within size {array.shape[d]} of dimension {d}, found offset "
                f"{offset}, size {size}, stride {stride}"
            )
    starts = (slice(offset, None) for offset in offsets)
    rest = array[(*starts, ...)]  # the dots make a view of an array without dimensions, too
    return as_strided(rest, sizes, [own * step for own, step in zip(array.strides, strides)])


def narrowed(part: Array, sizes: Sequence[int], shape: Sequence[int]) -> Array:
    """Drop the dimensions of a slice that its declared shape leaves out: the written sizes determine which,
    and a size that just happens to be 1 stays."""
    kept: list[int] = []
    for d, size in enumerate(sizes):
        if len(kept) < len(shape) and shape[len(kept)] == size:
            kept.append(d)
    if len(kept) < len(shape):
        raise RelaxError(
            f"expected sizes {list(sizes)} with dimensions of size 1 left out, found {list(shape)}"
        )
    return np.squeeze(part, axis=tuple(d for d in range(part.ndim) if d not in kept))


def collapsed(array: Array, reassociation: ArrayAttr[Any]) -> Array:
    """Groups of dimensions merged into one each."""
    groups = [[int(i.value.data) for i in group] for group in reassociation]
    return reshaped(array, [prod(array.shape[i] for i in group) for group in groups])


def reshaped(array: Array, shape: Sequence[int]) -> Array:
    """Return the elements in row-major order under another shape."""
    if any(size < 0 for size in shape) or prod(shape) != array.size:
        raise RelaxError(
            f"expected a shape of {array.size} elements, as {list(array.shape)} has, "
            f"found {list(shape)}"
        )
    return array.reshape(tuple(shape))


def reinterpreted(
    flat: Array, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> Array:
    """Return a strided view of memory, a vector, from an offset on."""
    steps = [(size - 1) * stride for size, stride in zip(sizes, strides)]
    start = sum(offsets)
    first, last = (start + sum(pick(step, 0) for step in steps) for pick in (min, max))
    empty = 0 in sizes
    if min(sizes, default=0) < 0 or not (empty or 0 <= first <= last < flat.size):
        raise RelaxError(
            f"expected a view within {flat.size} elements, found offset {start}, sizes {list(sizes)}, "
            f"strides {list(strides)}"
        )
    memory = flat if empty else flat[start:]
    return as_strided(memory, tuple(sizes), [stride * flat.itemsize for stride in strides])


def cast(array: Array, type: Attribute) -> Array:
    """Return the array as it is, which must have the static sizes of the type."""
    shape = type.get_shape() if isinstance(type, ShapedType) else array.shape
    fits = len(shape) == array.ndim and all(
        s in (DYNAMIC_INDEX, found) for s, found in zip(shape, array.shape)
    )
    if not fits:
        raise RelaxError(f"expected a value of type {type}, found sizes {list(array.shape)}")
    return array


def dimension(array: Array, index: Any) -> int:
    """Return the size of one dimension."""
    if not 0 <= index < array.ndim:
        raise RelaxError(f"expected a dimension below the rank {array.ndim}, found {index}")
    return array.shape[int(index)]
