"""The source coordinates of the positions along a resized axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from relax_dialect import te
from relax_dialect.ops.resizing import BY_SCALE, ZERO_IF_SINGLE, ResizeOp
from relax_dialect.symbolic import Expr, maximum
from relax_dialect.te.dtypes import DType


@dataclass(frozen=True)
class Ratio:
    """A coordinate as a fraction of integers, so that rounding it is exact; `below` is above 0."""

    above: te.Scalar
    below: te.Scalar

    def floor(self) -> te.Scalar:
        return te.floordiv(self.above, self.below)

    def ceil(self) -> te.Scalar:
        return -te.floordiv(-self.above, self.below)

    def plus_half(self, sign: int) -> Ratio:
        return Ratio(self.above * 2 + self.below * sign, self.below * 2)

    def rest(self, dtype: DType) -> te.Scalar:
        """Return the distance from the element before it."""
        left = self.above - self.floor() * self.below
        return left.astype("i64").astype(dtype) / self.below.astype("i64").astype(dtype)


@dataclass(frozen=True)
class Real:
    """A coordinate in a floating-point type."""

    value: te.Scalar

    def floor(self) -> te.Scalar:
        return te.floor(self.value).astype("index")

    def ceil(self) -> te.Scalar:
        return te.ceil(self.value).astype("index")

    def plus_half(self, sign: int) -> Real:
        return Real(self.value + 0.5 * sign)

    def rest(self, dtype: DType) -> te.Scalar:
        """Return the distance from the element before it."""
        return (self.value - te.floor(self.value)).astype(dtype)

    @staticmethod
    def of_part(part: tuple[float, float], p: te.Scalar, h: Expr, n: Expr) -> Real:
        """Return the coordinate of position p of n in a part of an axis of h elements."""
        start, end = part
        last, single = te.cast(h - 1, "f64"), te.equal(te.cast(n, "index"), 1)
        first = te.select(single, 0.5 * (start + end), te.const(start, "f64")) * last
        step = (end - start) * last / te.cast(maximum(n - 1, 1), "f64")
        return Real(first + p.astype("i64").astype("f64") * step)


def _half_pixel(p: te.Scalar, h: Expr, n: Expr) -> Ratio:
    return Ratio((p * 2 + 1) * h - n, te.cast(n * 2, "index"))


def _pytorch_half_pixel(p: te.Scalar, h: Expr, n: Expr) -> Ratio:
    ratio = _half_pixel(p, h, n)
    return Ratio(te.select(te.equal(te.cast(n, "index"), 1), 0, ratio.above), ratio.below)


COORDINATE: dict[str, Callable[[te.Scalar, Expr, Expr], Ratio]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel,
    "pytorch_half_pixel": _pytorch_half_pixel,
    "tf_half_pixel_for_nn": lambda p, h, n: Ratio((p * 2 + 1) * h, te.cast(n * 2, "index")),
    "asymmetric": lambda p, h, n: Ratio(p * h, te.cast(n, "index")),
    "align_corners": lambda p, h, n: Ratio(p * (h - 1), te.cast(maximum(n - 1, 1), "index")),
}
"""The coordinate of position p of n in an axis of h elements."""

ROUND: dict[str, Callable[[Any], te.Scalar]] = {
    "round": lambda c: c.plus_half(1).floor(),
    "round_prefer_ceil": lambda c: c.plus_half(1).floor(),
    "round_prefer_floor": lambda c: c.plus_half(-1).ceil(),
    "floor": lambda c: c.floor(),
    "ceil": lambda c: c.ceil(),
}
"""The element nearest to a coordinate."""


Scale: TypeAlias = "te.Scalar | None"
"""The scale of an axis, None for the ratio of its sizes."""


def coordinate(
    op: ResizeOp, letter: str, p: te.Scalar, h: Expr, n: Expr, scale: Scale
) -> Ratio | Real:
    """Return the coordinate of position p of n in an axis of h elements."""
    mode = op.coordinate_transformation_mode
    if op.crops:
        return Real.of_part(op.part(letter), p, h, n)
    if scale is None:
        return COORDINATE[mode](p, h, n)
    dtype = scale.dtype
    sizes = [te.cast(size, str(dtype)) for size in (h, n)]
    found = BY_SCALE[mode](p.astype("i64").astype(dtype), scale, *sizes)
    if mode in ZERO_IF_SINGLE:
        found = te.select(te.equal(te.cast(n, "index"), 1), 0.0, found)
    return Real(found)
