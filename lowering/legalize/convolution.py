"""Convolutions: a padded copy of x, and for every element of the result a sum over the window and the
channels of its group.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from lowering.legalize import transposed_convolution
from lowering.legalize.demands import requirements
from lowering.legalize.registry import known_tensor, legalize
from lowering.legalize.windows import (
    Index,
    Places,
    Slide,
    at,
    known,
    laid_out,
    wide,
)
from relax_dialect import symbolic, te
from relax_dialect.ops.convolution import (
    Conv1dOp,
    Conv2dOp,
    Conv3dOp,
    ForwardConvolutionOp,
)
from relax_dialect.ops.windows import Window
from relax_dialect.symbolic import Expr

MOST_WRITTEN = 49
"""The most places of a filter that a schedule writes out."""

__all__ = ["transposed_convolution"]

LEAST = 8
"""The least filters, and products for each, of a convolution that is worth tiles."""


@legalize(Conv1dOp, Conv2dOp, Conv3dOp)
def convolution(op: ForwardConvolutionOp, x: te.Tensor, weight: te.Tensor) -> te.Tensor:
    """The sum over the window and the input channels of the group."""
    sizes = op.weight_sizes
    windows = op.kernel_windows(sizes)
    inputs, outputs = known(sizes["I"]), symbolic.floordiv(known(sizes["O"]), op.group_count)
    if is_structured(op):
        return _structured(op, x, weight, windows)
    axes, written = Places.axes_of(windows), Places.of(windows, op.result_layout)
    seen = Slide(bordered(x, op.x_layout, windows), op.x_layout, windows)
    return _summed(op, weight, seen, axes if is_depthwise(op) else written, inputs, outputs)


def bordered(x: te.Tensor, layout: str, windows: Sequence[Window]) -> te.Tensor:
    """x with zeros around it, as its windows see it."""
    sizes, before = dict(zip(layout, x.shape)), dict.fromkeys(layout, 0)
    for window in windows:
        before[window.letter] = window.before
        sizes[window.letter] += window.before + window.after
    if tuple(sizes.values()) == x.shape:
        return x
    return te.pad(x, list(sizes.values()), list(before.values()), 0)


def is_structured(op: ForwardConvolutionOp) -> bool:
    """Whether a group has filters of known sizes, and enough of them for a schedule; or neighbours of the
    result are channels, so that nothing is gained by writing places out; or bytes are multiplied.

    It stays one sum over axes, whatever the layouts.
    """
    sizes = op.weight_sizes
    filters, channels, *window = (sizes[letter] for letter in ("O", "I", *op.SPATIAL))
    known_sizes = [size.value for size in (filters, channels, *window) if size is not None]
    if is_of_bytes(op):
        return True
    if str(op.infer()[0].dtype) not in ("f32", "f64"):  # pyright: ignore
        return False
    if len(known_sizes) < 2 + len(window):
        return False
    if op.result_layout[-1] == "C" and op.group_count > 1 and filters != op.group_count:
        return True
    if None in known_sizes:
        return False
    count, *each = (size or 0 for size in known_sizes)
    return (count // op.group_count >= LEAST and prod(each) >= LEAST) or is_narrow(op)


def is_narrow(op: ForwardConvolutionOp) -> bool:
    """Whether a group has few filters, more than one pixel for each, and pixels lie in a row."""
    sizes = op.weight_sizes
    window = [(sizes[letter] or symbolic.const(0)).value or 0 for letter in op.SPATIAL]
    return (
        op.x_layout[:2] == op.result_layout[:2] == "NC"
        and op.weight_layout[:2] == "OI"
        and 1 < prod(window) <= MOST_WRITTEN
        and op.kernel_windows(sizes)[-1].stride <= 2
        and not is_depthwise(op)
    )


def _structured(
    op: ForwardConvolutionOp, x: te.Tensor, weight: te.Tensor, windows: Sequence[Window]
) -> te.Tensor:
    """One sum over channels and windows; groups are an axis of their own, single pixels have no windows."""
    groups, layouts = op.group_count, (op.x_layout, op.weight_layout, op.result_layout)
    shape, dtype = known_tensor(op, "the result", op.infer()[0])
    sizes = [dict(zip(layout, own)) for layout, own in zip(layouts, (x.shape, weight.shape, shape))]
    filters = symbolic.floordiv(known(sizes[1]["O"]), groups)
    if groups > 1:
        for own in (sizes[0], sizes[2]):
            own["G"], own["C"] = symbolic.const(groups), symbolic.floordiv(own["C"], groups)
        layouts = layouts[0].replace("C", "GC"), layouts[1], layouts[2].replace("C", "GC")
    requires = requirements(op, op.demands(op.x_sizes, op.weight_sizes))
    if groups > 1:
        x = te.reshape(x, [sizes[0][letter] for letter in layouts[0]], "groups", requires)
    is_pointwise = all(w.stride == 1 == known(w.size).value for w in windows)
    images = bordered(x, layouts[0], windows)
    if is_pointwise:  # a contraction, whose filters have two axes
        kept = [letter for letter in layouts[1] if letter not in op.SPATIAL]
        weight = te.reshape(weight, [sizes[1][letter] for letter in kept], "filters", requires)
        layouts = (layouts[0], "".join(kept), layouts[2])
    i = te.reduce_axis((0, sizes[1]["I"]), name="i")
    places = Places((), ()) if is_pointwise else Places.axes_of(windows)
    slide = Slide(images, layouts[0], windows)

    def element(*axes: te.IterVar) -> te.Scalar:
        index: dict[str, Index] = dict(zip(layouts[2], axes))
        position = [index[letter] for letter in op.SPATIAL]
        seen = slide.seen({**index, "C": i}, position, places.axes or [0] * len(position))
        number = index["C"] if groups == 1 else index["G"] * filters + index["C"]
        kernel = {"O": number, "I": i, **dict(zip(op.SPATIAL, places.axes))}
        value = at(weight, layouts[1], kernel)
        return te.sum(seen.astype(dtype) * value.astype(dtype), axis=[i, *places.axes])

    summed = te.compute(
        [sizes[2][letter] for letter in layouts[2]], element, name="summed", requires=requires
    )
    return summed if groups == 1 else te.reshape(summed, shape, "out")


def is_of_bytes(op: ForwardConvolutionOp) -> bool:
    """Whether products of bytes are added up in i32, all channels with all filters."""
    types = [str(value.type.dtype) for value in (op.x, op.weight, op.result)]  # pyright: ignore
    return set(types[:2]) <= {"i8", "ui8"} and types[2] == "i32" and is_dense(op)


def is_dense(op: ForwardConvolutionOp) -> bool:
    """Whether all channels meet all filters, of known sizes, and enough of them."""
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


def is_depthwise(op: ForwardConvolutionOp) -> bool:
    """Whether every channel of an image has one filter, and neighbours of the result are those of a row."""
    sizes = op.weight_sizes
    filters, channels, *window = (sizes[letter] for letter in ("O", "I", *op.SPATIAL))
    layouts = op.x_layout, op.result_layout, op.weight_layout
    return (
        layouts == ("NCHW", "NCHW", "OIHW")
        and filters is not None
        and channels is not None
        and (filters.value, channels.value) == (op.group_count, 1)
        and str(op.infer()[0].dtype) in ("f32", "f64")  # pyright: ignore
        and all(size is not None and (size.value or 0) > 0 for size in window)
        and prod(size.value for size in window) <= MOST_WRITTEN  # pyright: ignore
        and op.kernel_windows(sizes)[-1].stride <= 2
    )


def _summed(
    op: ForwardConvolutionOp,
    weight: te.Tensor,
    slide: Slide,
    places: Places,
    inputs: Expr,
    outputs: Expr,
) -> te.Tensor:
    """The sum over the window and a group's channels, of which x has `inputs`, the result `outputs`."""
    (type,) = op.infer()
    shape, dtype = known_tensor(op, "the result", type)
    accumulated = wide(dtype)
    filters, layout = _packed(op, weight)
    has_channels = inputs.value != 1
    channels = [te.reduce_axis((0, inputs), "i")] if has_channels else []
    # a group, and a channel in it, are two axes, where a loop would divide at every turn, or by a size
    splits = op.group_count > 1 and (op.result_layout[-1] == "C" or outputs.value is None)
    sizes = dict(zip(op.result_layout, shape))
    if splits:
        sizes |= {"G": symbolic.const(op.group_count), "C": outputs}
    axes_of = op.result_layout.replace("C", "GC") if splits else op.result_layout

    def element(*axes: te.IterVar) -> Any:
        index: dict[str, Index] = dict(zip(axes_of, axes))
        position = [index[letter] for letter in op.SPATIAL]
        group, own = (0, index["C"]) if splits else _divided(index["C"], op.group_count, outputs)
        if splits:
            group = index["G"]
            index["C"] = group * outputs + own
        channel = own_input = channels[0] if channels else 0
        if op.group_count > 1:
            channel = group * inputs + own_input if channels else group
        kernel = {"O": index["C"], "I": own_input}

        def term(place: Sequence[Index]) -> te.Scalar:
            seen = slide.seen({"N": index["N"], "C": channel}, position, place)
            value = at(filters, layout, {**kernel, **dict(zip(op.SPATIAL, place))})
            return seen.astype(accumulated) * value.astype(accumulated)

        total = places.over(term)
        over = [*channels, *places.axes]
        return te.sum(total, axis=over) if over else total.astype(dtype)

    requires = requirements(op, op.demands(op.x_sizes, op.weight_sizes))
    summed = te.compute([sizes[a] for a in axes_of], element, name="summed", requires=requires)
    if splits:
        summed = te.reshape(summed, shape, name="summed")
    if summed.dtype == dtype:
        return summed
    return te.compute(shape, lambda *i: summed[i].astype(dtype), name="out")


def _divided(channel: Index, groups: int, size: Expr) -> tuple[Index, Index]:
    """The group of a channel of the result, and its number there; a group has `size` channels."""
    if groups == 1:
        return 0, channel
    if size.value == 1:
        return channel, 0
    group = te.floordiv(channel, size)
    return group, channel - group * size


def _packed(op: ForwardConvolutionOp, weight: te.Tensor) -> tuple[te.Tensor, str]:
    """The kernel and its layout; where neighbours of the result are channels, so they are here."""
    layout = op.weight_layout
    if op.result_layout[-1] != "C" or layout[-1] == "O":
        return weight, layout
    packed = f"{op.SPATIAL}IO"
    sizes = dict(zip(layout, weight.shape))
    copy = laid_out(sizes, packed, lambda index: at(weight, layout, index), "kernel")
    return copy, packed
