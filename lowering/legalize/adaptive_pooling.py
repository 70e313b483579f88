"""Adaptive pools: every axis is divided into parts, which are as equal as whole numbers are.

Parts that are equal are axes of their own, and the pool is a reduction over them. Others are reduced along
one axis after the other, between the begin and end of each part, from two tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add, mul
from typing import Any

from lowering.legalize.imperative_parts import loops
from lowering.legalize.pools import Element, finished, reduced
from lowering.legalize.registry import legalize
from lowering.legalize.windows import Index, at, known, mean_type, times, wide
from relax_dialect import symbolic, te
from relax_dialect.ops.pooling import (
    AdaptiveAvgPool1dOp,
    AdaptiveAvgPool2dOp,
    AdaptiveAvgPool3dOp,
    AdaptiveMaxPool1dOp,
    AdaptiveMaxPool2dOp,
    AdaptiveMaxPool3dOp,
    AdaptivePoolOp,
)
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType, limits
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder

Combine = Callable[[te.Scalar, te.Scalar], te.Scalar]


@legalize(AdaptiveMaxPool1dOp, AdaptiveMaxPool2dOp, AdaptiveMaxPool3dOp)
def adaptive_max_pool(op: AdaptivePoolOp, x: te.Tensor) -> te.Tensor:
    """Return the maximum of each part."""
    parts, type = _parts(op), wide(x.dtype)
    if _are_equal(parts):
        return reduced(op, x, te.max, *_elements(op, x, parts, type), type)
    total = _by_axes(op, x, parts, limits(x.dtype)[0], te.maximum, type)
    return finished(op, x, total)


@legalize(AdaptiveAvgPool1dOp, AdaptiveAvgPool2dOp, AdaptiveAvgPool3dOp)
def adaptive_avg_pool(op: AdaptivePoolOp, x: te.Tensor) -> te.Tensor:
    """Return the sum of each part by the number of its elements."""
    parts, type = _parts(op), mean_type(x.dtype)

    def count(index: Mapping[str, Index]) -> Any:
        return reduce(mul, (part.length(index[letter]) for letter, part in parts.items()))

    if _are_equal(parts):
        return reduced(op, x, te.sum, *_elements(op, x, parts, type), type, count)
    return finished(op, x, _by_axes(op, x, parts, 0, add, type), count)


@dataclass(frozen=True)
class AdaptiveBins:
    """The parts of an axis of `size` elements that an adaptive pool reduces, `count` of them."""

    letter: str
    size: Expr
    count: Expr
    quotient: Expr | None
    """The length of every part, if they are equally long."""
    table: Sequence[te.Tensor]
    """The begin and end of each part, if they differ in length."""

    @staticmethod
    def of(letter: str, size: Expr, count: Expr) -> AdaptiveBins:
        quotient = symbolic.const(1) if size is count else symbolic.exact_quotient(size, count)

        def ends(p: te.IterVar) -> tuple[te.Scalar, ...]:
            low, high = p * size, (p + 1) * size + (count - 1)
            return tuple(te.floordiv(end, count).astype("i64") for end in (low, high))

        names = [f"{letter.lower()}_low", f"{letter.lower()}_high"]
        table = () if quotient else te.compute((count,), ends, name=names)
        return AdaptiveBins(letter, size, count, quotient, table)

    def ends(self, p: Index) -> tuple[Index, Index]:
        """Return the begin and the end of part p."""
        if self.quotient is not None:
            return times(p, self.quotient), times(p + 1, self.quotient)
        low, high = (end[p].astype("index") for end in self.table)
        return low, high

    def length(self, p: Index) -> Index:
        """Return the number of elements of part p."""
        if self.quotient is not None:
            return self.quotient
        low, high = self.ends(p)
        return high - low


def _parts(op: AdaptivePoolOp) -> dict[str, AdaptiveBins]:
    """Return the parts of each spatial axis."""
    sizes = op.x_sizes
    pairs = zip(op.SPATIAL, op.extents(sizes))
    return {
        letter: AdaptiveBins.of(letter, known(sizes[letter]), known(extent))
        for letter, extent in pairs
    }


def _are_equal(parts: Mapping[str, AdaptiveBins]) -> bool:
    return all(part.quotient is not None for part in parts.values())


def _elements(
    op: AdaptivePoolOp, x: te.Tensor, parts: Mapping[str, AdaptiveBins], accumulated: DType
) -> tuple[Element, Sequence[te.IterVar]]:
    """Return the elements of the part at an index, and the axes that run over them."""
    axes = {
        letter: te.reduce_axis((0, part.quotient), f"k{letter}")
        for letter, part in parts.items()
        if part.quotient is not None and part.quotient.value != 1
    }

    def element(index: Mapping[str, Index]) -> te.Scalar:
        found = dict(index)
        for letter, axis in axes.items():
            is_one = parts[letter].count.value == 1
            found[letter] = axis if is_one else axis + times(index[letter], axis.extent)
        return at(x, op.x_layout, found).astype(accumulated)

    return element, list(axes.values())


def _by_axes(
    op: AdaptivePoolOp,
    x: te.Tensor,
    parts: Mapping[str, AdaptiveBins],
    filler: Any,
    combine: Combine,
    accumulated: DType,
) -> Element:
    """Return the element at an index of x reduced along one axis after the other."""
    for letter in filter(parts.__contains__, op.x_layout):
        if parts[letter].size is not parts[letter].count:
            axis = op.x_layout.index(letter)
            x = _along(x, axis, parts[letter], filler, combine, accumulated)
    return partial(at, x, op.x_layout)


def _along(
    x: te.Tensor, axis: int, part: AdaptiveBins, filler: Any, combine: Combine, accumulated: DType
) -> te.Tensor:
    """Return a tensor whose elements along an axis are reduced by parts: whole rows at once, if the axis is
    not that along which they lie."""
    shape = [part.count if d == axis else size for d, size in enumerate(x.shape)]

    def kernel(ib: KernelBuilder, _: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        (out,) = outs
        with loops(ib, shape[: axis + 1]) as place:
            *before, p = place
            low, high = part.ends(p)
            if axis == x.ndim - 1:
                total = ib.var(te.const(filler, accumulated), name="total")
                with ib.for_(low, high, name="k") as k:
                    element = x[(*before, k)].astype(accumulated)
                    total.value = combine(total.value, element)
                out[tuple(place)] = total.value
                return
            with loops(ib, shape[axis + 1 :]) as after:
                out[(*place, *after)] = te.const(filler, accumulated)
            with ib.for_(low, high, name="k") as k, loops(ib, shape[axis + 1 :]) as after:
                at = (*place, *after)
                out[at] = combine(out[at], x[(*before, k, *after)].astype(accumulated))

    return te.extern(shape, [x, *part.table], kernel, accumulated, f"by_{part.letter.lower()}")
