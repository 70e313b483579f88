"""Images with their axes in the default order, and their windows, for convolutions and pools alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.errors import ExecutionError
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ir.types import Dim
from relax_dialect.ops.blocked_layouts import Layout, parse_layout
from relax_dialect.ops.windows import Sizes, Window

WIDE = {"float16": np.dtype(np.float32), "bfloat16": np.dtype(np.float32)}
"""The types that narrow floats are accumulated in, by the narrow ones' names."""


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type to accumulate elements of a type in."""
    return WIDE.get(dtype.name, dtype)


def sum_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type that numpy adds up elements of a type in: f64 for f32, whose running sums lose digits
    along other axes than the last and in BLAS."""
    return np.dtype(np.float64) if wide(dtype) == np.float32 else dtype


def mean_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type to add up elements of a type in, for their mean."""
    return {"i": np.dtype(np.int64), "u": np.dtype(np.uint64)}.get(dtype.kind, wide(dtype))


def least(dtype: np.dtype[Any]) -> int | float:
    """Return the least value of a type."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def in_order(array: Array, layout: str, wanted: str) -> Array:
    """An array of a layout in another one of the same axes."""
    found, new = parse_layout(layout), parse_layout(wanted)
    assert found is not None and new is not None
    merged = array.transpose(found.merging).reshape([*sizes_of(array, found).values()])
    merged = merged.transpose([found.plain.index(letter) for letter in new.plain])
    split: list[int] = []
    for letter, size in zip(new.plain, merged.shape):
        block = new.blocks.get(letter, 0)
        if block and size % block:
            raise ExecutionError(
                f"expected blocks of {block} to divide the axis {letter} of {wanted} (C2), found {size}; "
                "name another layout"
            )
        split += (size // block, block) if block else (size,)
    return merged.reshape(split).transpose(new.splitting)


def sizes_of(array: Array, layout: Layout) -> dict[str, int]:
    """The size of every axis of the layout without blocks."""
    found = dict(zip(layout.axes, array.shape))
    return {letter: found[letter] * layout.blocks.get(letter, 1) for letter in layout.plain}


def sizes(array: Array, layout: str) -> Sizes:
    """The size of every letter's axis."""
    found = parse_layout(layout)
    assert found is not None
    return {letter: symbolic.const(size) for letter, size in sizes_of(array, found).items()}


def known_sizes(dims: Iterable[Dim]) -> list[int]:
    """Return the sizes that a formula computed from known ones."""
    return [dim.value for dim in dims if dim is not None and dim.value is not None]


def slid(
    x: Array, windows: Sequence[Window], counts: Sequence[int], filler: int | float
) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Yield every offset in the window, with the elements of x that all windows have there.

    x is padded on all ends of its last axes, as far as the windows reach.
    """
    spatial = x.shape[-len(windows) :]
    needed = [
        (count - 1) * window.stride
        + (reach[0] if (reach := known_sizes([window.reach])) else 0)
        + 1
        for window, count in zip(windows, counts)
    ]
    around = [
        (window.before, max(window.after, need - window.before - size))
        for window, size, need in zip(windows, spatial, needed)
    ]
    still = [(0, 0)] * (x.ndim - len(windows))
    padded = np.pad(x, [*still, *around], constant_values=filler)
    for place in product(*(range(size) for size in known_sizes(window.size for window in windows))):
        taken = [
            slice(first := p * w.dilation, first + count * w.stride, w.stride)
            for p, w, count in zip(place, windows, counts)
        ]
        yield place, padded[(..., *taken)]
