"""Pools: the maximum or mean of what the windows see, and of equal parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add, and_, mul
from typing import Any

from lowering.legalize.binary import quotient
from lowering.legalize.demands import requirements
from lowering.legalize.registry import known_tensor, legalize
from lowering.legalize.windows import (
    Index,
    Places,
    Slide,
    at,
    known,
    laid_out,
    mean_type,
    times,
    wide,
)
from relax_dialect import symbolic, te
from relax_dialect.ops.pooling import (
    AdaptiveAvgPool1dOp,
    AdaptiveAvgPool2dOp,
    AdaptiveAvgPool3dOp,
    AdaptiveMaxPool1dOp,
    AdaptiveMaxPool2dOp,
    AdaptiveMaxPool3dOp,
    AdaptivePoolOp,
    AvgPool1dOp,
    AvgPool2dOp,
    AvgPool3dOp,
    MaxPool1dOp,
    MaxPool2dOp,
    MaxPool3dOp,
    PoolOp,
)
from relax_dialect.ops.windows import Window
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType, limits

Element = Callable[[Mapping[str, Index]], Any]


@legalize(MaxPool1dOp, MaxPool2dOp, MaxPool3dOp)
def max_pool(op: PoolOp, x: te.Tensor) -> te.Tensor:
    """The maximum over the window; the padding is the least value."""
    type = wide(x.dtype)
    seen, axes = _windows(op, x, limits(x.dtype)[0], te.maximum, type)
    return _reduced(op, x, te.max, seen, axes, type)


@legalize(AvgPool1dOp, AvgPool2dOp, AvgPool3dOp)
def avg_pool(op: PoolOp, x: te.Tensor) -> te.Tensor:
    """The sum over the window by how many of its places count."""
    type = mean_type(x.dtype)
    seen, axes = _windows(op, x, 0, add, type)
    return _reduced(op, x, te.sum, seen, axes, type, _count(op, type))


def _count(op: PoolOp, dtype: DType) -> Element:
    """By what the sum over the window at an index is divided."""
    constant, varying = symbolic.const(1), dict[str, te.Tensor]()
    sizes, windows = op.x_sizes, op.pool_windows()
    padded, rounded_up = op.count_include_pad, op.ceil_mode
    for window, extent in zip(windows, op.extents(sizes)):
        if not rounded_up and (padded or not (window.before or window.after)):
            constant *= known(window.size)
            continue
        end = known(sizes[window.letter])
        ends = (-window.before, end + window.after) if padded else (0, end)
        varying[window.letter] = _inside(window, known(extent), ends, dtype)

    def count(index: Mapping[str, Index]) -> Any:
        found = [tensor[index[letter]] for letter, tensor in varying.items()]
        return reduce(mul, (*found, te.const(constant.value, dtype)))

    return count


def _windows(
    op: PoolOp, x: te.Tensor, filler: Any, combine: Callable[..., Any], accumulated: DType
) -> tuple[Element, Sequence[te.IterVar]]:
    """What the window at an index sees, and the axes over which it is still to be reduced.

    Where the result has x's layout, the schedule knows what is best; else rows of windows are written out.
    """
    windows, keeps = op.pool_windows(), op.x_layout == op.result_layout
    places = Places.axes_of(windows) if keeps else Places.of(windows, op.result_layout)
    over = Slide(_padded(op, x, windows, filler), op.x_layout, windows)

    def seen(index: Mapping[str, Index]) -> Any:
        image = {"N": index["N"], "C": index["C"]}
        position = [index[letter] for letter in op.SPATIAL]
        return places.over(lambda p: over.seen(image, position, p).astype(accumulated), combine)

    return seen, places.axes


def _padded(op: PoolOp, x: te.Tensor, windows: Sequence[Window], filler: Any) -> te.Tensor:
    """x in a border wide enough for all windows."""
    sizes, before = dict(zip(op.x_layout, x.shape)), dict.fromkeys(op.x_layout, 0)
    for window, count in zip(windows, op.extents(op.x_sizes)):
        before[window.letter] = window.before
        size = sizes[window.letter] + (window.before + window.after)
        if op.ceil_mode:
            reached = (known(count) - 1) * window.stride + known(window.reach) + 1
            size = symbolic.maximum(reached, size) if window.may_begin_late else reached
        sizes[window.letter] = size
    if tuple(sizes.values()) == x.shape:
        return x
    return te.pad(x, list(sizes.values()), list(before.values()), filler)


def _inside(window: Window, count: Expr, ends: tuple[int, Expr], dtype: DType) -> te.Tensor:
    """How many places of each window along one axis lie between two ends; 1 where none does."""
    places, step = known(window.size), window.dilation

    def inside(p: te.IterVar) -> te.Scalar:
        start = times(p, window.stride) - window.before
        first, last = (_steps(start * -1 + end, step) for end in ends)
        return te.maximum(te.minimum(last, places) - te.maximum(first, 0), 1).astype(dtype)

    return te.compute([count], inside, name="count")


def _steps(distance: te.Scalar, step: int) -> te.Scalar:
    """How many steps it takes to go a distance."""
    return distance if step == 1 else te.floordiv(distance + (step - 1), step)


def _reduced(
    op: PoolOp | AdaptivePoolOp,
    x: te.Tensor,
    reducer: te.Reducer,
    value: Element,
    axes: Sequence[te.IterVar],
    type_of_total: DType,
    divisor: Element | None = None,
) -> te.Tensor:
    """The values reduced over the axes, if there are any, and divided."""
    (type,) = op.infer()
    layout = op.result_layout
    shape = dict(zip(layout, known_tensor(op, "the result", type)[0]))
    requires = requirements(op, op.demands(op.x_sizes))
    if axes:
        over = value
        total = laid_out(
            shape, layout, lambda index: reducer(over(index), axis=axes), "total", requires
        )
        if divisor is None and type_of_total == x.dtype:
            return total
        value, requires = partial(at, total, layout), ()

    def out(index: Mapping[str, Index]) -> te.Scalar:
        found = (
            value(index)
            if divisor is None
            else quotient(value(index), te.cast(divisor(index), type_of_total))
        )
        return found.astype(x.dtype)

    return laid_out(shape, layout, out, "out", requires)


@legalize(AdaptiveMaxPool1dOp, AdaptiveMaxPool2dOp, AdaptiveMaxPool3dOp)
def adaptive_max_pool(op: AdaptivePoolOp, x: te.Tensor) -> te.Tensor:
    """The maximum of each part."""
    parts, type = _parts(op), wide(x.dtype)
    value, axes = _elements(op, x, parts, limits(x.dtype)[0], type)
    return _reduced(op, x, te.max, value, axes, type)


@legalize(AdaptiveAvgPool1dOp, AdaptiveAvgPool2dOp, AdaptiveAvgPool3dOp)
def adaptive_avg_pool(op: AdaptivePoolOp, x: te.Tensor) -> te.Tensor:
    """The sum of each part by the number of its elements."""
    parts, type = _parts(op), mean_type(x.dtype)
    value, axes = _elements(op, x, parts, 0, type)

    def divisor(index: Mapping[str, Index]) -> Any:
        return reduce(mul, (part.length(index[letter]) for letter, part in parts.items()))

    return _reduced(op, x, te.sum, value, axes, type, divisor)


@dataclass(frozen=True)
class Part:
    """What one element of an adaptive pool reduces along an axis of `size` elements, in `count` parts."""

    size: Expr
    count: Expr
    quotient: Expr | None
    """The length of every part, if they are equally long."""
    axis: te.IterVar | None
    """Runs over the part, or as far as the longest one goes."""

    @staticmethod
    def of(letter: str, size: Expr, count: Expr) -> Part:
        quotient = symbolic.const(1) if size is count else symbolic.exact_quotient(size, count)
        longest = symbolic.ceildiv(size, count) + 1 if quotient is None else quotient
        axis = None if longest.value == 1 else te.reduce_axis((0, longest), f"k{letter}")
        return Part(size, count, quotient, axis)

    def start(self, p: te.IterVar) -> Index:
        """Where the part p begins."""
        if self.quotient is None:
            return te.floordiv(p * self.size, self.count)
        return 0 if self.count.value == 1 else times(p, self.quotient)

    def length(self, p: te.IterVar) -> Index:
        """How many elements the part p has."""
        if self.quotient is not None:
            return self.quotient
        return te.floordiv((p + 1) * self.size + (self.count - 1), self.count) - self.start(p)


def _parts(op: AdaptivePoolOp) -> dict[str, Part]:
    """How each spatial axis is divided."""
    sizes = op.x_sizes
    pairs = zip(op.SPATIAL, op.extents(sizes))
    return {
        letter: Part.of(letter, known(sizes[letter]), known(extent)) for letter, extent in pairs
    }


def _elements(
    op: AdaptivePoolOp, x: te.Tensor, parts: Mapping[str, Part], filler: Any, accumulated: DType
) -> tuple[Element, Sequence[te.IterVar]]:
    """The elements of the part at an index, and the axes that run over them; where they run beyond a
    shorter part there is the filler in the place of some element that is read in any case."""

    def element(index: Mapping[str, Index]) -> te.Scalar:
        found, conditions = dict(index), list[te.Scalar]()
        for letter, part in parts.items():
            found[letter] = start = part.start(index[letter])
            if part.axis is not None:
                found[letter] = part.axis + start
                if part.quotient is None:
                    conditions.append(part.axis < part.length(index[letter]))
                    found[letter] = te.minimum(found[letter], part.size - 1)
        value = at(x, op.x_layout, found).astype(accumulated)
        return te.select(reduce(and_, conditions), value, filler) if conditions else value

    return element, [part.axis for part in parts.values() if part.axis is not None]
