"""Operators on images: tables of the elements that are seen along each axis and their weights, and then
the weighted sums. f16 and bf16 are computed in f32, integers in f64."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, or_
from typing import Any

from lowering.legalize import vision  # noqa: F401 - its rules
from lowering.legalize.demands import requirements
from lowering.legalize.registry import legalize, result_dtype, result_shape
from lowering.legalize.windows import at, known, laid_out, wide
from relax_dialect import te
from relax_dialect.ops.image import (
    AffineGridOp,
    GridSampleOp,
    Resize1dOp,
    Resize2dOp,
    Resize3dOp,
    ResizeOp,
)
from relax_dialect.ops.type_rules import is_float
from relax_dialect.symbolic import Expr, maximum
from relax_dialect.te.dtypes import F64, DType


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
        """The distance from the element before it."""
        left = self.above - self.floor() * self.below
        return left.astype("i64").astype(dtype) / self.below.astype("i64").astype(dtype)


@dataclass(frozen=True)
class Real:
    """A coordinate in f64."""

    value: te.Scalar

    def floor(self) -> te.Scalar:
        return te.floor(self.value).astype("index")

    def ceil(self) -> te.Scalar:
        return te.ceil(self.value).astype("index")

    def plus_half(self, sign: int) -> Real:
        return Real(self.value + 0.5 * sign)

    def rest(self, dtype: DType) -> te.Scalar:
        """The distance from the element before it."""
        return (self.value - te.floor(self.value)).astype(dtype)

    @staticmethod
    def of_part(part: tuple[float, float], p: te.Scalar, h: Expr, n: Expr) -> Real:
        """Where place p of n is in a part of an axis of h elements."""
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
    "pytorch_half_pixel": _pytorch_half_pixel,
    "tf_half_pixel_for_nn": lambda p, h, n: Ratio((p * 2 + 1) * h, te.cast(n * 2, "index")),
    "asymmetric": lambda p, h, n: Ratio(p * h, te.cast(n, "index")),
    "align_corners": lambda p, h, n: Ratio(p * (h - 1), te.cast(maximum(n - 1, 1), "index")),
}
"""Where place p of n is in an axis of h elements."""

ROUND: dict[str, Callable[[Any], te.Scalar]] = {
    "round": lambda c: c.plus_half(1).floor(),
    "round_prefer_ceil": lambda c: c.plus_half(1).floor(),
    "round_prefer_floor": lambda c: c.plus_half(-1).ceil(),
    "floor": lambda c: c.floor(),
    "ceil": lambda c: c.ceil(),
}
"""The element nearest to a coordinate."""


def keys(rest: te.Scalar, alpha: float) -> list[te.Scalar]:
    """The weights of four elements by the kernel of Keys, at a distance after the second."""

    def near(d: te.Scalar) -> te.Scalar:
        return ((alpha + 2) * d - (alpha + 3)) * d * d + 1

    def far(d: te.Scalar) -> te.Scalar:
        return ((alpha * d - 5 * alpha) * d + 8 * alpha) * d - 4 * alpha

    return [far(rest + 1), near(rest), near(1 - rest), far(2 - rest)]


def inside(place: Any, size: Expr) -> te.Scalar:
    """A place, or the one at the end that it is beyond."""
    return te.maximum(te.minimum(place, size - 1), 0)


Tables = tuple[list[te.Tensor], list[te.Tensor]]
"""The places that are seen along an axis, and their weights (none for a single one)."""


def coordinate(op: ResizeOp, letter: str, p: te.Scalar, h: Expr, n: Expr) -> Ratio | Real:
    """Where place p of n is in an axis of h elements."""
    if op.crops:
        return Real.of_part(op.part(letter), p, h, n)
    return COORDINATE[op.coordinate_transformation_mode](p, h, n)


def outside(op: ResizeOp, letter: str, h: Expr, n: Expr) -> te.Tensor:
    """Which places of an axis are not in x."""

    def beyond(p: te.IterVar) -> te.Scalar:
        place = Real.of_part(op.part(letter), p, h, n).value
        return (place < 0) | (place > te.cast(h - 1, "f64"))

    return te.compute((n,), beyond, name=f"{letter.lower()}_outside")


def tables(op: ResizeOp, letter: str, h: Expr, n: Expr, dtype: DType) -> Tables:
    """The elements that each place along an axis of the result sees, and their weights."""

    def places(p: te.Scalar) -> list[te.Scalar]:
        found = coordinate(op, letter, p, h, n)
        if op.method == "nearest_neighbor":
            return [ROUND[op.rounding](found)]
        offsets = (0, 1) if op.method == "linear" else (-1, 0, 1, 2)
        low = found.floor()
        return [low + k if k else low for k in offsets]

    def weights(p: te.Scalar) -> list[te.Scalar]:
        rest = coordinate(op, letter, p, h, n).rest(dtype)
        if op.method == "linear":
            return [1 - rest, rest]
        found = keys(rest, op.cubic_alpha)
        if not op.cubic_exclude:
            return found
        pairs = zip(found, places(p))
        kept = [te.select((place >= 0) & (place < h), weight, 0.0) for weight, place in pairs]
        total = reduce(add, kept)
        return [weight / total for weight in kept]

    name, count = letter.lower(), {"nearest_neighbor": 1, "linear": 2, "cubic": 4}[op.method]
    found = te.compute(
        (n,),
        lambda p: tuple(inside(place, h).astype("i64") for place in places(p)),
        name=[f"{name}{k}" for k in range(count)],
    )
    if count == 1:
        return list(found), []
    names = [f"{name}_weight{k}" for k in range(count)]
    return list(found), list(te.compute((n,), lambda p: tuple(weights(p)), name=names))


@legalize(Resize1dOp, Resize2dOp, Resize3dOp)
def resize(op: ResizeOp, x: te.Tensor) -> te.Tensor:
    """The weighted elements that the tables name."""
    layout, shape, dtype = op.x_layout, result_shape(op), result_dtype(op)
    h, n = dict(zip(layout, x.shape)), dict(zip(layout, shape))
    inner = wide(x.dtype) if is_float(x.dtype) else F64
    seen = {letter: tables(op, letter, h[letter], n[letter], inner) for letter in op.SPATIAL}

    def element(index: Mapping[str, Any]) -> te.Scalar:
        if op.method == "nearest_neighbor":
            places = {letter: seen[letter][0][0][index[letter]] for letter in op.SPATIAL}
            return at(x, layout, {**index, **places}).astype(dtype)
        value = weighed(index, list(op.SPATIAL))
        return (value if is_float(dtype) else te.round(value)).astype(dtype)

    def weighed(index: Mapping[str, Any], letters: Sequence[str]) -> te.Scalar:
        """The sum over the places along some axes, at places along the others."""
        if not letters:
            return at(x, layout, index).astype(inner)
        letter, rest = letters[0], letters[1:]
        return reduce(
            add,
            [
                weighed({**index, letter: place[index[letter]]}, rest) * weight[index[letter]]
                for place, weight in zip(*seen[letter])
            ],
        )

    beyond = {d: outside(op, d, h[d], n[d]) for d in op.SPATIAL} if op.crops else {}

    def cropped(index: Mapping[str, Any]) -> te.Scalar:
        """The filler where one of the coordinates is not in x."""
        if not beyond:
            return element(index)
        anywhere = reduce(or_, [where[index[letter]] for letter, where in beyond.items()])
        filler = te.const(op.extrapolation_value, F64)
        filler = filler if is_float(dtype) or op.method == "nearest_neighbor" else te.round(filler)
        return te.select(anywhere, filler.astype(dtype), element(index))

    demands = op.demands(h, [n[letter] for letter in op.SPATIAL])
    return laid_out(n, layout, cropped, "out", requirements(op, demands))


def unnormalized(g: te.Scalar, size: Expr, aligned: bool) -> te.Scalar:
    """The index of an axis that a coordinate from -1 to 1 stands for."""
    length = te.cast(size, str(g.dtype))
    return (g + 1) * 0.5 * (length - 1) if aligned else ((g + 1) * length - 1) * 0.5


def padded(op: GridSampleOp, c: te.Scalar, size: Expr) -> te.Scalar:
    """An index moved into the axis, or left outside where there are zeros."""
    length = te.cast(size, str(c.dtype))
    if op.padding_mode == "zeros":
        return c
    if op.padding_mode == "reflection":
        low, span = (0.0, length - 1) if op.align_corners else (-0.5, length)
        distance = te.abs(c - low) % (span * 2)
        mirror = low + te.select(distance > span, span * 2 - distance, distance)
        c = te.select(te.equal(span, 0), 0.0, mirror)
    return te.maximum(te.minimum(c, length - 1), 0.0)


def samples(op: GridSampleOp, g: te.Scalar, size: Expr) -> tuple[list[te.Scalar], list[te.Scalar]]:
    """Places along an axis as floats, which may be outside, and the weights of the elements there."""
    c = unnormalized(g, size, op.align_corners)
    if op.method == "bicubic":
        low = te.floor(c)
        return [padded(op, low + k, size) for k in (-1, 0, 1, 2)], keys(c - low, -0.75)
    c = padded(op, c, size)
    if op.method == "nearest":
        return [te.round(c)], []
    low = te.floor(c)
    return [low, low + 1], [1 - (c - low), c - low]


@legalize(GridSampleOp)
def grid_sample(op: GridSampleOp, x: te.Tensor, grid: te.Tensor) -> te.Tensor:
    """For each place of the grid the elements it sees, -1 where they are outside, and their weights;
    then the sums for all channels."""
    layout, inner = op.x_layout, wide(x.dtype)
    size = dict(zip(layout, x.shape))
    count = {"nearest": 1, "bilinear": 2, "bicubic": 4}[op.method]

    def table(letter: str) -> tuple[list[te.Tensor], list[te.Tensor]]:
        h, name = size[letter], letter.lower()

        def coordinate(i: Sequence[Any]) -> te.Scalar:
            return grid[(*i, 1 if letter == "H" else 0)].astype(inner)

        def places(*i: te.IterVar) -> tuple[te.Scalar, ...]:
            found, _ = samples(op, coordinate(i), h)
            length = te.cast(h, str(inner))
            return tuple(te.select((c >= 0) & (c < length), c, -1.0).astype("i64") for c in found)

        shape = grid.shape[:3]
        rows = te.compute(shape, places, name=[f"{name}{k}" for k in range(count)])
        if count == 1:
            return list(rows), []
        names = [f"{name}_weight{k}" for k in range(count)]
        weights = te.compute(shape, lambda *i: tuple(samples(op, coordinate(i), h)[1]), name=names)
        return list(rows), list(weights)

    rows, row_weights = table("H")
    columns, column_weights = table("W")

    def element(index: Mapping[str, Any]) -> te.Scalar:
        where = tuple(index[letter] for letter in "NHW")

        def seen(row: te.Tensor, column: te.Tensor) -> te.Scalar:
            r, c = row[where].astype("index"), column[where].astype("index")
            value = at(x, layout, {**index, "H": r, "W": c}).astype(inner)
            return te.if_then_else((r >= 0) & (c >= 0), value, te.const(0, inner))

        if count == 1:
            return seen(rows[0], columns[0]).astype(x.dtype)
        sums = [
            reduce(add, [seen(row, c) * w[where] for c, w in zip(columns, column_weights)])
            for row in rows
        ]
        total = reduce(add, [s * w[where] for s, w in zip(sums, row_weights)])
        return total.astype(x.dtype)

    shape = dict(zip(layout, result_shape(op)))
    requires = requirements(op, op.demands(size, tuple(grid.shape)))
    return laid_out(shape, layout, element, "out", requires)


@legalize(AffineGridOp)
def affine_grid(op: AffineGridOp, data: te.Tensor) -> te.Tensor:
    """The maps applied to the homogeneous coordinates of all places."""
    shape, inner = result_shape(op), wide(data.dtype)
    sizes = [known(size) for size in shape[2:]]

    def coordinate(p: te.Scalar, n: Expr) -> te.Scalar:
        place, length = p.astype("i64").astype(inner), te.cast(n, str(inner))
        if op.align_corners:
            last = te.cast(maximum(n - 1, 1), str(inner))
            return te.select(te.equal(length, 1), 0.0, (place * 2 - last) / last)
        return (place * 2 + 1) / length - 1

    lines = [te.compute((n,), lambda p, n=n: coordinate(p, n), name="line") for n in sizes]

    def element(n: te.IterVar, d: te.IterVar, *places: te.IterVar) -> te.Scalar:
        row = [data[n, d, j].astype(inner) for j in range(len(sizes) + 1)]
        terms = [a * line[p] for a, line, p in zip(row, lines[::-1], places[::-1])]
        return (reduce(add, terms) + row[-1]).astype(data.dtype)

    requires = requirements(op, op.demands(tuple(data.shape), len(sizes)))
    return te.compute(shape, element, name="out", requires=requires)
