"""Images of another size: tables of the elements that are seen along each axis and their weights, and then
the weighted sums. f16 and bf16 are computed in f32, integers in f64."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add, or_
from typing import Any, TypeAlias

from lowering.legalize.coordinates import ROUND, Real, Scale, coordinate
from lowering.legalize.demands import requirements
from lowering.legalize.imperative_parts import loops
from lowering.legalize.registry import legalize, result_dtype, result_shape
from lowering.legalize.windows import at, laid_out, wide
from relax_dialect import te
from relax_dialect.ops.resizing import (
    Resize1dOp,
    Resize2dOp,
    Resize3dOp,
    ResizeOp,
)
from relax_dialect.ops.type_rules import is_float
from relax_dialect.prim.run_time_checks import demanded, hole
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import F64, DType
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


def near_and_far(d: te.Scalar, alpha: float) -> tuple[te.Scalar, te.Scalar]:
    """Return the kernel of Keys at a distance up to 1, and at one from 1 to 2."""
    near = ((alpha + 2) * d - (alpha + 3)) * d * d + 1
    return near, ((alpha * d - 5 * alpha) * d + 8 * alpha) * d - 4 * alpha


def keys(rest: te.Scalar, alpha: float) -> list[te.Scalar]:
    """Return the weights of four elements by the kernel of Keys, at a distance after the second."""
    return [
        near_and_far(d, alpha)[far]
        for d, far in ((rest + 1, 1), (rest, 0), (1 - rest, 0), (2 - rest, 1))
    ]


def inside(place: Any, size: Expr) -> te.Scalar:
    """Clamp a position to the axis."""
    return te.maximum(te.minimum(place, size - 1), 0)


Tables = tuple[list[te.Tensor], list[te.Tensor]]
"""The source positions along an axis, and their weights (none for a single one)."""


def outside(op: ResizeOp, letter: str, h: Expr, n: Expr) -> te.Tensor:
    """Return the positions of an axis that are outside of x."""

    def beyond(p: te.IterVar) -> te.Scalar:
        place = Real.of_part(op.part(letter), p, h, n).value
        return (place < 0) | (place > te.cast(h - 1, "f64"))

    return te.compute((n,), beyond, name=f"{letter.lower()}_outside")


def tables(op: ResizeOp, letter: str, h: Expr, n: Expr, scale: Scale, dtype: DType) -> Tables:
    """Return the source elements of each position along an axis of the result, and their weights."""

    def places(p: te.Scalar) -> list[te.Scalar]:
        found = coordinate(op, letter, p, h, n, scale)
        if op.method == "nearest_neighbor":
            return [ROUND[op.rounding](found)]
        offsets = (0, 1) if op.method == "linear" else (-1, 0, 1, 2)
        low = found.floor()
        return [low + k if k else low for k in offsets]

    def weights(p: te.Scalar) -> list[te.Scalar]:
        rest = coordinate(op, letter, p, h, n, scale).rest(dtype)
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


def checked(
    op: ResizeOp, scales: te.Tensor, h: Mapping[str, Expr], n: Mapping[str, Expr]
) -> te.Tensor:
    """Scales as they are computed with, after a check that they lead to the sizes of the result."""
    dtype = wide(scales.dtype)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        for d, letter in enumerate(op.SPATIAL):
            scale = scales[d].astype(dtype)
            old, new = (te.cast(size[letter], str(dtype)) for size in (h, n))
            found = f"them {{%0}} apart for sizes {hole(h[letter])} and {hole(n[letter])}"
            fits = te.abs(scale * old - new) <= 1.0
            ib.assert_(fits, f"{op.name}: {demanded(op.FITTING, found)}", shows=True)
            outs[0][d] = scale

    return te.extern((len(op.SPATIAL),), [scales], kernel, dtype=dtype, name="scales")


def smoothed(
    op: ResizeOp, x: te.Tensor, letter: str, h: Expr, n: Expr, scale: Scale, dtype: DType
) -> te.Tensor:
    """Return the weighted sums along one axis, where as many elements count as the kernel is wide."""
    layout = op.x_layout
    shape = [n if other == letter else size for other, size in zip(layout, x.shape)]

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        ratio = te.cast(n, str(dtype)) / te.cast(h, str(dtype)) if scale is None else scale
        shrinking = ib.var(te.minimum(ratio.astype(dtype), 1.0), name="shrinking").value
        reach = ib.var(te.ceil(op.reach / shrinking).astype("index"), name="reach").value
        with ib.for_(n, name="p") as p:
            middle = coordinate(op, letter, p, h, n, scale)
            first = ib.var(middle.floor() - reach + 1, name="first").value
            rest = ib.var(middle.rest(dtype), name="rest").value

            def weight(k: te.Scalar) -> te.Scalar:
                offset = (k - reach + 1).astype("i64").astype(dtype)
                found = stretched(op, te.abs(rest - offset) * shrinking)
                if not op.cubic_exclude:
                    return found
                place = first + k
                return te.select((place >= 0) & (place < h), found, 0.0)

            total = ib.var(te.const(0, dtype), name="total")
            with ib.for_(reach * 2, name="k") as k:
                total.value = total.value + weight(k)
            others = [size for other, size in zip(layout, shape) if other != letter]
            with loops(ib, others) as places:
                index = {**dict(zip(layout.replace(letter, ""), places)), letter: p}
                found = ib.var(te.const(0, dtype), name="found")
                with ib.for_(reach * 2, name="k") as k:
                    value = at(x, layout, {**index, letter: inside(first + k, h)})
                    found.value = found.value + value.astype(dtype) * weight(k)
                outs[0][tuple(index[each] for each in layout)] = found.value / total.value

    return te.extern(shape, [x], kernel, dtype=dtype, name=f"along_{letter.lower()}")


def stretched(op: ResizeOp, distance: te.Scalar) -> te.Scalar:
    """Return the weight at a distance of 0 or more from the middle of the kernel."""
    if op.method == "linear":
        return te.maximum(1 - distance, 0.0)
    near, far = near_and_far(distance, op.cubic_alpha)
    return te.select(distance <= 1.0, near, te.select(distance < 2.0, far, 0.0))


@legalize(Resize1dOp, Resize2dOp, Resize3dOp)
def resize(op: ResizeOp, x: te.Tensor, scales: te.Tensor | None = None) -> te.Tensor:
    """Return the weighted elements that the tables name."""
    layout, shape, dtype = op.x_layout, result_shape(op), result_dtype(op)
    h, n = dict(zip(layout, x.shape)), dict(zip(layout, shape))
    inner = wide(x.dtype) if is_float(x.dtype) else F64
    given = None if scales is None else checked(op, scales, h, n)
    scale = {letter: given and given[d] for d, letter in enumerate(op.SPATIAL)}
    pick = element_smoothed if op.antialias else element_of_tables
    element = pick(op, x, h, n, scale, inner)
    beyond = {d: outside(op, d, h[d], n[d]) for d in op.SPATIAL} if op.crops else {}

    def result(index: Mapping[str, Any]) -> te.Scalar:
        """Return the result, or the filler if one of the coordinates is outside of x."""
        found = element(index)
        exact = is_float(dtype) or op.method == "nearest_neighbor"
        value = (found if exact else te.round(found)).astype(dtype)
        if not beyond:
            return value
        anywhere = reduce(or_, [where[index[letter]] for letter, where in beyond.items()])
        filler = te.const(op.extrapolation_value, F64)
        filler = filler if exact else te.round(filler)
        return te.select(anywhere, filler.astype(dtype), value)

    demands = op.demands(h, [n[d] for d in op.SPATIAL], None if scales is None else scales.shape)
    return laid_out(n, layout, result, "out", requirements(op, demands))


Found: TypeAlias = Callable[[Mapping[str, Any]], te.Scalar]
"""The element at an index by letters, before it is converted to the type of the result."""


def element_smoothed(
    op: ResizeOp,
    x: te.Tensor,
    h: Mapping[str, Expr],
    n: Mapping[str, Expr],
    scale: Mapping[str, Scale],
    inner: DType,
) -> Found:
    """One axis after the other, the innermost first."""
    for letter in reversed(op.SPATIAL):
        x = smoothed(op, x, letter, h[letter], n[letter], scale[letter], inner)
    return lambda index: at(x, op.x_layout, index)


def element_of_tables(
    op: ResizeOp,
    x: te.Tensor,
    h: Mapping[str, Expr],
    n: Mapping[str, Expr],
    scale: Mapping[str, Scale],
    inner: DType,
) -> Found:
    """Return the weighted sum over all axes."""
    layout = op.x_layout
    seen = {d: tables(op, d, h[d], n[d], scale[d], inner) for d in op.SPATIAL}

    def nearest(index: Mapping[str, Any]) -> te.Scalar:
        places = {letter: seen[letter][0][0][index[letter]] for letter in op.SPATIAL}
        return at(x, layout, {**index, **places})

    def weighed(index: Mapping[str, Any], letters: Sequence[str]) -> te.Scalar:
        """Return the weighted sum over some axes, at positions along the others."""
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

    if op.method == "nearest_neighbor":
        return nearest
    return lambda index: weighed(index, list(op.SPATIAL))
