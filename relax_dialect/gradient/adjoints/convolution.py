"""Adjoints of convolutions: the adjoint of the image is the transposed convolution, and vice versa; the
adjoint of the kernel is a convolution of the image with the cotangent, whose layouts exchange batch and
channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import convolution as ops
from relax_dialect.ops.windows import Window
from relax_dialect.symbolic import Expr

Shape = Mapping[str, Expr]
"""The size of each letter's axis."""

LaidOut = tuple[Any, str]
"""A tensor and its layout."""


@adjoint(ops.Conv1dOp, ops.Conv2dOp, ops.Conv3dOp)
def convolution(of: Applied[ops.ForwardConvolutionOp], gy: Any) -> Any:
    """Of x the transposed convolution of gy; of the kernel the convolution of x with gy, batch and channels
    exchanged, strides and dilation too."""
    this = of.op
    images, kernel = f"NC{this.SPATIAL}", f"OI{this.SPATIAL}"
    sizes = dict(zip(this.x_layout, of.sizes(0)))
    windows = this.kernel_windows(dict(zip(this.weight_layout, of.sizes(1))))
    weight = permuted(of.inputs[1], this.weight_layout, kernel)
    spreading = permuted(gy, this.result_layout, images)
    of_x = spread(spreading, weight, windows, sizes, of.type().dtype, groups=this.groups)
    beyond = [_beyond(w, sizes[w.letter]) for w in windows]
    image, small = (of.inputs[0], this.x_layout), (gy, this.result_layout)
    of_weight = _of_kernel(of, image, small, windows, "IO", beyond)
    return permuted(of_x, images, this.x_layout), of_weight


def spread(
    gy: Any,
    weight: Any,
    windows: Sequence[Window],
    sizes: Shape,
    dtype: Any,
    *,
    groups: int = 1,
    ceil_mode: bool = False,
) -> Any:
    """The cotangent of x: every element of the cotangent spread over the window that it was computed from.

    Strides may leave elements at the end of x that no window reaches, and padding after it may be reached
    or not. If that is unknown, no padding is removed by the convolution, and its result is cut, or padded
    with zeros: there may be no window at all.
    """
    n = len(windows)
    beyond = [_beyond(w, sizes[w.letter], ceil_mode) for w in windows]
    more = [max(-(far or 0), 0) for far in beyond]
    is_known = None not in beyond and all(z < w.stride for z, w in zip(more, windows))
    transposed = getattr(op, f"conv{n}d_transpose")
    found = transposed(
        gy,
        weight,
        strides=[w.stride for w in windows],
        padding=[*(w.before for w in windows), *(max(far or 0, 0) * is_known for far in beyond)],
        output_padding=more if is_known else [_without_windows(w) for w in windows],
        dilation=[w.dilation for w in windows],
        groups=groups,
    )
    if is_known:
        return found
    axes = list(range(2, n + 2))
    reached, full = [], []
    for window in windows:
        size = sizes[window.letter]
        end = _reached(window, size, ceil_mode)
        end = symbolic.maximum(end, 0) if _without_windows(window) else end
        reached.append(symbolic.minimum(end, size))
        full.append(size)
    starts = [0] * n
    inside = op.strided_slice(found, axes, starts, reached, assume_inbound=True)
    if reached == full:
        return inside
    zeros = op.zeros([sizes["N"], sizes["C"], *full], dtype)
    return op.slice_scatter(zeros, inside, starts, reached, 1, axes)


def _without_windows(window: Window) -> int:
    """Return the number of trailing zeros that make the size of a transposed result without a window
    non-negative."""
    reach = None if window.reach is None else window.reach.value
    least = window.stride - 1
    return least if reach is None else min(max(least - reach + window.before, 0), least)


def _reached(window: Window, size: Expr, ceil_mode: bool = False) -> Expr:
    """Return the number of elements of x and its trailing padding before the end of the last window."""
    count, reach = window.count(size, ceil_mode), window.reach
    assert count is not None and reach is not None
    return (count - 1) * window.stride + reach + 1 - window.before


def _beyond(window: Window, size: Expr, ceil_mode: bool = False) -> int | None:
    """Return how far the windows extend beyond x, negative if they end before; None if it depends on
    sizes."""
    return (_reached(window, size, ceil_mode) - size).value


def _of_kernel(
    of: Applied[ops.ConvolutionOp],
    image: LaidOut,
    small: LaidOut,
    windows: Sequence[Window],
    channels: str,
    beyond: Sequence[int | None],
) -> Any:
    """The cotangent of a kernel [O, I, ...] that maps positions of `small` [N, O, ...] to those of the
    larger `image` [N, I * groups, ...], or back: `sum(image[n, i, s * p + d * k] * small[n, o, p])`. The
    letters `channels` name the kernel's axes of the channels of `image` and of `small`.

    That is a convolution of strides d and dilation s, whose batch is I and whose channels are N, as the
    layouts say; it sees as much of the padding as windows reach `beyond` the image.
    """
    groups, layout = of.op.groups, of.op.weight_layout
    swapped = [
        replace(
            w,
            stride=w.dilation,
            dilation=w.stride,
            after=w.after if far is None else max(far, 0),
        )
        for w, far in zip(windows, beyond)
    ]
    is_exact = all(far is not None and far > -w.dilation for w, far in zip(windows, beyond))
    return _convolved(
        *(_regrouped(*image, groups) if groups > 1 else (image[0], _renamed(image[1], "NC", "CN"))),
        *(small[0], _renamed(small[1], "NC", "IO")),
        _renamed(layout, channels, "NC"),
        swapped,
        groups,
        None if is_exact else dict(zip(layout, of.sizes(1))),
    )


def _convolved(
    image: Any,
    data_layout: str,
    weight: Any,
    kernel_layout: str,
    out_layout: str,
    windows: Sequence[Window],
    groups: int,
    sizes: Shape | None,
) -> Any:
    """Emit a convolution of tensors of these layouts, sliced to its first elements if it exceeds
    `sizes`."""
    found = getattr(op, f"conv{len(windows)}d")(
        image,
        weight,
        strides=[w.stride for w in windows],
        padding=[*(w.before for w in windows), *(w.after for w in windows)],
        dilation=[w.dilation for w in windows],
        groups=groups,
        data_layout=data_layout,
        kernel_layout=kernel_layout,
        out_layout=out_layout,
    )
    if sizes is None:
        return found
    axes, ends = zip(*((out_layout.index(w.letter), sizes[w.letter]) for w in windows))
    return op.strided_slice(found, [*axes], [0] * len(axes), [*ends], assume_inbound=True)


def _renamed(layout: str, letters: str, others: str) -> str:
    """A layout with other letters for some axes."""
    return layout.translate(str.maketrans(letters, others))


def _regrouped(image: Any, layout: str, groups: int) -> LaidOut:
    """An image of g * I channels as one of I images, of g * N channels."""
    parts, places = op.split(image, groups, layout.index("C")), layout.index("N")
    joined = op.concat([parts[i] for i in range(groups)], axis=places)
    return joined, _renamed(layout, "NC", "CN")


def permuted(x: Any, layout: str, wanted: str) -> Any:
    """A tensor with its axes in another order."""
    return (
        x if layout == wanted else op.permute_dims(x, [layout.index(letter) for letter in wanted])
    )


@adjoint(ops.Conv1dTransposeOp, ops.Conv2dTransposeOp, ops.Conv3dTransposeOp)
def transposed_convolution(of: Applied[ops.TransposedConvolutionOp], gy: Any) -> Any:
    """Of x the convolution of gy; of the kernel the convolution of gy with x, batch and channels exchanged,
    strides and dilation too."""
    this = of.op
    image, small = (gy, this.result_layout), (of.inputs[0], this.x_layout)
    windows = this.kernel_windows(this.weight_sizes)
    more = this.output_paddings()
    is_exact = all(zeros < w.stride for zeros, w in zip(more, windows))
    seen = None if is_exact else dict(zip(this.x_layout, of.sizes(0)))
    kernel = _renamed(this.weight_layout, "IO", "OI")
    of_x = _convolved(*image, of.inputs[1], kernel, this.x_layout, windows, this.groups, seen)
    beyond = [w.after - zeros for w, zeros in zip(windows, more)]
    return of_x, _of_kernel(of, image, small, windows, "OI", beyond)
