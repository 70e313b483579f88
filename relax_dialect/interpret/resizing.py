"""Images of another size, in f64 and rounded once; the coordinates are fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

import numpy as np

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.total_arithmetic import astype
from relax_dialect.interpret.windows import in_order, sizes
from relax_dialect.ops.blocked_layouts import plain_layout
from relax_dialect.ops.demands import require
from relax_dialect.ops.resizing import BY_SCALE, ZERO_IF_SINGLE, ResizeOp
from relax_dialect.prim.run_time_checks import demanded
from relax_dialect.symbolic import const

HALF = Fraction(1, 2)

COORDINATE: dict[str, Callable[[int, int, int], Fraction]] = {
    "half_pixel": lambda p, h, n: (p + HALF) * h / n - HALF,
    "half_pixel_symmetric": lambda p, h, n: (p + HALF) * h / n - HALF,
    "pytorch_half_pixel": lambda p, h, n: (p + HALF) * h / n - HALF if n > 1 else Fraction(0),
    "tf_half_pixel_for_nn": lambda p, h, n: (p + HALF) * h / n,
    "asymmetric": lambda p, h, n: Fraction(p * h, n),
    "align_corners": lambda p, h, n: Fraction(p * (h - 1), n - 1) if n > 1 else Fraction(0),
}
"""Maps index p of n to a coordinate on an axis of h elements."""

ROUND: dict[str, Callable[[Fraction], int]] = {
    "round": lambda c: floor(c + HALF),
    "round_prefer_ceil": lambda c: floor(c + HALF),
    "round_prefer_floor": lambda c: ceil(c - HALF),
    "floor": floor,
    "ceil": ceil,
}
"""The element nearest to a coordinate."""

Taps = list[tuple[int, float]]


def keys(distance: float, alpha: float) -> float:
    """Return the cubic convolution kernel of Keys."""
    d = abs(distance)
    if d <= 1:
        return ((alpha + 2) * d - (alpha + 3)) * d * d + 1
    return ((alpha * d - 5 * alpha) * d + 8 * alpha) * d - 4 * alpha if d < 2 else 0.0


def taps(op: ResizeOp, coordinate: Fraction, size: int, shrinking: float) -> Taps:
    """Return the elements of an axis that are sampled at a coordinate, which may be outside, and their
    weights; the kernel widens by 1 / `shrinking`."""
    low = floor(coordinate)
    rest = float(coordinate - low)
    if op.method == "nearest_neighbor":
        return [(ROUND[op.rounding](coordinate), 1.0)]
    if op.method == "linear" and shrinking == 1:
        return [(low, 1 - rest), (low + 1, rest)]
    reach = ceil(op.reach / shrinking)

    def weight(k: int) -> float:
        distance = (rest - k) * shrinking
        if op.method == "linear":
            return max(0.0, 1 - abs(distance))
        return keys(distance, op.cubic_alpha)

    found = [(low + k, weight(k)) for k in range(1 - reach, reach + 1)]
    if op.cubic_exclude:
        found = [(place, weight if 0 <= place < size else 0.0) for place, weight in found]
    elif not op.antialias:
        return found
    total = sum(weight for _, weight in found)
    return [(place, weight / total) for place, weight in found]


def along(x: Array, axis: int, seen: Sequence[Taps]) -> Array:
    """Return the weighted sums along an axis; the elements at its ends are repeated."""
    parts = []
    for column in zip(*seen):
        places = np.clip([place for place, _ in column], 0, x.shape[axis] - 1)
        weights = np.array([weight for _, weight in column])
        rows = np.moveaxis(np.take(x, places, axis), axis, -1)
        parts.append(np.moveaxis(rows * weights, -1, axis))
    return sum(parts[1:], parts[0])


def coordinates(op: ResizeOp, letter: str, h: int, n: int, scale: Array | None) -> list[Fraction]:
    """Return the coordinates in x of the indices of an axis."""
    if op.crops:
        start, end = op.part(letter)
        first = start * (h - 1) if n > 1 else 0.5 * (start + end) * (h - 1)
        step = (end - start) * (h - 1) / max(n - 1, 1)
        return [Fraction(first + p * step) for p in range(n)]
    mode = op.coordinate_transformation_mode
    if scale is None or (n == 1 and mode in ZERO_IF_SINGLE):
        return [COORDINATE[mode](p, h, n) for p in range(n)]
    places = np.arange(n, dtype=scale.dtype)
    return [
        Fraction(float(c)) for c in BY_SCALE[mode](places, scale, *np.array([h, n], scale.dtype))
    ]


def along_axis(row: Sequence[bool], axis: int, rank: int) -> Array:
    """Return a row that lies along one axis of a tensor."""
    return np.array(row).reshape([-1 if d == axis else 1 for d in range(rank)])


def checked(op: ResizeOp, scales: Array, x: Sequence[int], target: Sequence[int]) -> Array:
    """Return the scales in their type of computation, after checking the sizes of the result against
    them."""
    found = scales if scales.dtype == np.float64 else scales.astype(np.float32)
    for scale, h, n in zip(found, x, target):
        apart = abs(scale * found.dtype.type(h) - found.dtype.type(n))
        if not apart <= 1:
            raise RelaxError(demanded(op.FITTING, f"them {apart} apart for sizes {h} and {n}"))
    return found


def resize(op: ResizeOp, x: Array, size: Sequence[int], scales: Array | None = None) -> Array:
    """Resize one axis after the other, the innermost first."""
    x_sizes = sizes(x, op.x_layout)
    require(
        op.demands(x_sizes, list(map(const, size)), None if scales is None else dims(scales)[0])
    )
    layout = plain_layout(op.x_layout)
    x = in_order(x, op.x_layout, layout)
    return in_order(_resized(op, x, layout, size, scales), layout, op.x_layout)


def _resized(
    op: ResizeOp, x: Array, layout: str, size: Sequence[int], scales: Array | None
) -> Array:
    """The same of a layout without blocks."""
    heights = [x.shape[layout.index(letter)] for letter in op.SPATIAL]
    given = [None] * len(size) if scales is None else [*checked(op, scales, heights, size)]
    dtype = x.dtype if op.out_dtype is None else numpy_dtype(op.out_dtype)
    if 0 in size:
        extents = {**dict(zip(layout, x.shape)), **dict(zip(op.SPATIAL, size))}
        return np.empty([extents[letter] for letter in layout], dtype)
    nearest = op.method == "nearest_neighbor"
    y, outside = x if nearest else x.astype(np.float64), np.zeros((1,) * x.ndim, np.bool_)
    for letter, h, n, scale in reversed(list(zip(op.SPATIAL, heights, size, given))):
        axis = layout.index(letter)
        found = coordinates(op, letter, h, n, scale)
        shrinking = min(1.0, n / h if scale is None else float(scale)) if op.antialias else 1.0
        seen = [taps(op, c, h, shrinking) for c in found]
        outside = outside | along_axis(
            [op.crops and not 0 <= c <= h - 1 for c in found], axis, x.ndim
        )
        if nearest:
            y = np.take(y, np.clip([row[0][0] for row in seen], 0, h - 1), axis)
        else:
            y = along(y, axis, seen)
    y = np.where(outside, np.asarray(op.extrapolation_value).astype(y.dtype), y) if op.crops else y
    return astype(np.rint(y) if dtype.kind in "iu" and not nearest else y, dtype)
