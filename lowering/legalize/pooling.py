"""Pools: the maximum or mean of each window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import mul
from typing import Any

from lowering.legalize import adaptive_pooling, indexed_pools  # noqa: F401 - their rules
from lowering.legalize.pools import Element, reduced
from lowering.legalize.registry import legalize
from lowering.legalize.windows import (
    Index,
    Slide,
    known,
    mean_type,
    times,
    wide,
    window_axes,
)
from relax_dialect import symbolic, te
from relax_dialect.ops.pooling import (
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


@legalize(MaxPool1dOp, MaxPool2dOp, MaxPool3dOp)
def max_pool(op: PoolOp, x: te.Tensor) -> te.Tensor:
    """Return the maximum over the window; the padding is the least value."""
    type = wide(x.dtype)
    seen, axes = _windows(op, x, limits(x.dtype)[0], type)
    return reduced(op, x, te.max, seen, axes, type)


@legalize(AvgPool1dOp, AvgPool2dOp, AvgPool3dOp)
def avg_pool(op: PoolOp, x: te.Tensor) -> te.Tensor:
    """Return the sum over the window divided by the number of its positions that count."""
    type = mean_type(x.dtype)
    seen, axes = _windows(op, x, 0, type)
    return reduced(op, x, te.sum, seen, axes, type, divisor(op, type))


def divisor(op: PoolOp, dtype: DType) -> Element:
    """Return the divisor of the sum over the window at an index."""
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
    op: PoolOp, x: te.Tensor, filler: Any, accumulated: DType
) -> tuple[Element, Sequence[te.IterVar]]:
    """Return the elements that the window at an index sees, and the axes over which it is reduced."""
    windows = op.pool_windows()
    axes = window_axes(windows)
    over = Slide(_padded(op, x, windows, filler), op.x_layout, windows)

    def seen(index: Mapping[str, Index]) -> te.Scalar:
        image = {"N": index["N"], "C": index["C"]}
        position = [index[letter] for letter in op.SPATIAL]
        return over.seen(image, position, axes).astype(accumulated)

    return seen, axes


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
    """Return the number of positions of each window along one axis between two ends; 1 if there are
    none."""
    places, step = known(window.size), window.dilation

    def inside(p: te.IterVar) -> te.Scalar:
        start = times(p, window.stride) - window.before
        first, last = (_steps(start * -1 + end, step) for end in ends)
        return te.maximum(te.minimum(last, places) - te.maximum(first, 0), 1).astype(dtype)

    return te.compute([count], inside, name="count")


def _steps(distance: te.Scalar, step: int) -> te.Scalar:
    """Return the number of steps that cover a distance."""
    return distance if step == 1 else te.floordiv(distance + (step - 1), step)
