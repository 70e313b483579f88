"""Convolutions: for every element of the result one sum over the window and the channels of its group.

    out[n, g, o, y, x] = sum(images[n, g, c, y * stride + r, x * stride + s] * filters[g, o, c, r, s])

`images` is x with zeros around it. An axis inside of groups is left out if each has one channel, or one
filter; the axis of groups if there is one. Narrow types are widened before, rounded after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import SSAValue

from lowering.legalize import transposed_convolution  # noqa: F401 - its rules
from lowering.legalize.demands import requirements
from lowering.legalize.registry import known_tensor
from lowering.legalize.steps import Steps, legalize_steps
from lowering.legalize.widened_operands import sum_type, widened
from lowering.legalize.windows import Index, Slide, at, known, laid_out, viewed, window_axes
from relax_dialect import symbolic, te
from relax_dialect.ops.convolution import (
    Conv1dOp,
    Conv2dOp,
    Conv3dOp,
    ForwardConvolutionOp,
)
from relax_dialect.ops.windows import Window
from relax_dialect.symbolic import Expr

LEAST = 8
"""The least filters, and products for each, of bytes that are multiplied as they are."""


@legalize_steps(Conv1dOp, Conv2dOp, Conv3dOp)
def convolved(
    steps: Steps, op: ForwardConvolutionOp, x: SSAValue, weight: SSAValue
) -> Sequence[SSAValue]:
    """Return the convolution, of operands in the type that it adds up in: constant filters are ahead."""
    if not is_of_bytes(op):
        dtype = sum_type(known_tensor(op, "the result", op.checked_types()[0])[1])
        x, weight = (widened(steps, operand, dtype) for operand in (x, weight))
    return steps.finish(convolution, x, weight)


def bordered(x: te.Tensor, layout: Sequence[str], windows: Sequence[Window]) -> te.Tensor:
    """x with zeros around it, as its windows see it."""
    sizes, before = dict(zip(layout, x.shape)), dict.fromkeys(layout, 0)
    for window in windows:
        before[window.letter] = window.before
        sizes[window.letter] += window.before + window.after
    if tuple(sizes.values()) == x.shape:
        return x
    return te.pad(x, list(sizes.values()), list(before.values()), 0)


def convolution(op: ForwardConvolutionOp, x: te.Tensor, weight: te.Tensor) -> te.Tensor:
    """One sum over channels and windows; groups are an axis of their own, single pixels have no windows."""
    shape, dtype = known_tensor(op, "the result", op.checked_types()[0])
    requires = requirements(op, op.demands(op.x_sizes, op.weight_sizes))
    groups, weights = op.group_count, dict(zip(op.weight_layout, weight.shape))
    filters, seen_by_each = (
        symbolic.floordiv(n, groups) for n in (weights["O"], known(op.x_sizes["C"]))
    )
    channels = min(seen_by_each, weights["I"], key=lambda size: not size.is_constant)
    image = in_groups(op.x_layout, x.shape, "C", groups, channels)
    kernel = in_groups(op.weight_layout, weight.shape, "O", groups, filters) | {"I": channels}
    result = in_groups(op.result_layout, shape, "C", groups, filters)
    windows = op.kernel_windows(op.weight_sizes)
    i = [te.reduce_axis((0, channels), name="i")] if "C" in image else []
    is_pointwise = bool(i) and all(w.stride == 1 == known(w.size).value for w in windows)
    if is_pointwise:  # a contraction, whose filters have no axes of windows
        kernel = {letter: size for letter, size in kernel.items() if letter not in op.SPATIAL}
    x = viewed(x, image.values(), "groups", requires)
    weight = viewed(weight, kernel.values(), "filters", requires)
    places = [] if is_pointwise else window_axes(windows)
    slide = Slide(bordered(x, [*image], windows), [*image], windows)

    def element(index: Mapping[str, Index]) -> te.Scalar:
        position = [index[letter] for letter in op.SPATIAL]
        channel = i[0] if i else 0
        seen = slide.seen({**index, "C": channel}, position, places or [0] * len(position))
        place = {**index, "O": index.get("C"), "I": channel, **dict(zip(op.SPATIAL, places))}
        term = seen.astype(sums) * at(weight, [*kernel], place).astype(sums)
        return te.sum(term, axis=[*i, *places])

    sums = sum_type(dtype)
    summed = viewed(laid_out(result, [*result], element, "summed", requires), shape, "out")
    if sums == dtype:
        return summed
    return te.compute(shape, lambda *i: summed[i].astype(dtype), name="out")


def in_groups(
    layout: str, shape: Sequence[Expr], split: str, groups: int, each: Expr
) -> dict[str, Expr]:
    """Return the axes of a layout with their sizes, one of them split into groups if there are several;
    groups of one element have no axis inside."""
    sizes: dict[str, Expr] = {}
    for letter, size in zip(layout, shape):
        if letter != split:
            sizes[letter] = size
            continue
        if groups > 1:
            sizes["G"] = symbolic.const(groups)
        if groups == 1 or each.value != 1:
            sizes[letter] = each
    return sizes


def is_of_bytes(op: ForwardConvolutionOp) -> bool:
    """Return whether products of bytes are added up in i32, all channels with all filters."""
    types = [str(value.type.dtype) for value in (op.x, op.weight, op.result)]  # pyright: ignore
    return set(types[:2]) <= {"i8", "ui8"} and types[2] == "i32" and is_dense(op)


def is_dense(op: ForwardConvolutionOp) -> bool:
    """Return whether all channels meet all filters, of known sizes, and enough of them."""
    sizes = op.weight_sizes
    filters, channels, *window = (sizes[letter] for letter in ("O", "I", *op.SPATIAL))
    layouts = op.x_layout[:2], op.result_layout[:2], op.weight_layout[:2]
    return (
        op.group_count == 1
        and layouts == ("NC", "NC", "OI")
        and op.result_layout[2:] == op.SPATIAL == op.x_layout[2:]
        and all(size is not None and size.value is not None for size in window)
        and filters is not None
        and (filters.value or 0) >= LEAST
        and channels is not None
        and (channels.value or 0) * prod(w.value for w in window) >= LEAST  # pyright: ignore
    )
