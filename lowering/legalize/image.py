"""Operators on images: tables of the elements that are seen along each axis and their weights, and then
the weighted sums. f16 and bf16 are computed in f32, integers in f64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add, and_
from typing import Any

from lowering.legalize import vision  # noqa: F401 - its rules
from lowering.legalize.demands import requirements
from lowering.legalize.registry import legalize, result_shape
from lowering.legalize.resizing import keys
from lowering.legalize.windows import at, known, laid_out, wide
from relax_dialect import te
from relax_dialect.ops.image import AffineGridOp, GridSample3dOp, GridSampleOp, SamplingOp
from relax_dialect.symbolic import Expr, maximum


def unnormalized(g: te.Scalar, size: Expr, aligned: bool) -> te.Scalar:
    """Return the axis index of a coordinate from -1 to 1."""
    length = te.cast(size, str(g.dtype))
    return (g + 1) * 0.5 * (length - 1) if aligned else ((g + 1) * length - 1) * 0.5


def padded(op: SamplingOp, c: te.Scalar, size: Expr) -> te.Scalar:
    """Return an index moved into the axis, or left outside for padding with zeros."""
    length = te.cast(size, str(c.dtype))
    if op.padding_mode == "zeros":
        return c
    if op.padding_mode == "reflection":
        low, span = (0.0, length - 1) if op.align_corners else (-0.5, length)
        distance = te.abs(c - low) % (span * 2)
        mirror = low + te.select(distance > span, span * 2 - distance, distance)
        c = te.select(te.equal(span, 0), 0.0, mirror)
    return te.maximum(te.minimum(c, length - 1), 0.0)


def samples(op: SamplingOp, g: te.Scalar, size: Expr) -> tuple[list[te.Scalar], list[te.Scalar]]:
    """Positions along an axis as floats, possibly outside, and the weights of the elements there."""
    c = unnormalized(g, size, op.align_corners)
    if op.method == "bicubic":
        low = te.floor(c)
        return [padded(op, low + k, size) for k in (-1, 0, 1, 2)], keys(c - low, -0.75)
    c = padded(op, c, size)
    if op.method == "nearest":
        return [te.round(c)], []
    low = te.floor(c)
    return [low, low + 1], [1 - (c - low), c - low]


@legalize(GridSampleOp, GridSample3dOp)
def grid_sample(op: SamplingOp, x: te.Tensor, grid: te.Tensor) -> te.Tensor:
    """Compute the source elements of each grid position, -1 if outside, and their weights; then the sums
    for all channels."""
    layout, inner, spatial = op.x_layout, wide(x.dtype), op.SPATIAL
    size = dict(zip(layout, x.shape))
    count = {"nearest": 1, "bilinear": 2, "bicubic": 4}[op.method]

    def table(letter: str) -> tuple[list[te.Tensor], list[te.Tensor]]:
        h, name = size[letter], letter.lower()
        which = len(spatial) - 1 - spatial.index(letter)  # the innermost axis comes first

        def coordinate(i: Sequence[Any]) -> te.Scalar:
            return grid[(*i, which)].astype(inner)

        def places(*i: te.IterVar) -> tuple[te.Scalar, ...]:
            found, _ = samples(op, coordinate(i), h)
            length = te.cast(h, str(inner))
            return tuple(te.select((c >= 0) & (c < length), c, -1.0).astype("i64") for c in found)

        shape = grid.shape[:-1]
        rows = te.compute(shape, places, name=[f"{name}{k}" for k in range(count)])
        if count == 1:
            return list(rows), []
        names = [f"{name}_weight{k}" for k in range(count)]
        weights = te.compute(shape, lambda *i: tuple(samples(op, coordinate(i), h)[1]), name=names)
        return list(rows), list(weights)

    tables = {letter: table(letter) for letter in spatial}

    def element(index: Mapping[str, Any]) -> te.Scalar:
        where = tuple(index[letter] for letter in f"N{spatial}")

        def seen(found: Mapping[str, te.Scalar]) -> te.Scalar:
            value = at(x, layout, {**index, **found}).astype(inner)
            inside = reduce(and_, [place >= 0 for place in found.values()])
            return te.if_then_else(inside, value, te.const(0, inner))

        def weighed(found: Mapping[str, te.Scalar], letters: str) -> te.Scalar:
            """Return the weighted sum over some axes, at positions along the others."""
            if not letters:
                return seen(found)
            places, weights = tables[letters[0]]
            terms = [
                weighed({**found, letters[0]: place[where].astype("index")}, letters[1:])
                for place in places
            ]
            return (
                reduce(add, [t * w[where] for t, w in zip(terms, weights)]) if weights else terms[0]
            )

        return weighed({}, spatial).astype(x.dtype)

    shape = dict(zip(layout, result_shape(op)))
    requires = requirements(op, op.demands(size, tuple(grid.shape)))
    return laid_out(shape, layout, element, "out", requires)


@legalize(AffineGridOp)
def affine_grid(op: AffineGridOp, data: te.Tensor) -> te.Tensor:
    """Return the maps applied to the homogeneous coordinates of all positions."""
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
