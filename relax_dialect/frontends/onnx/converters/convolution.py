"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.windows import (
    known_kernel,
    numbers,
    padded_input,
    paddings,
    spatial_rank,
)


def with_bias(node: OnnxNode, y: Any, place: int, spatial: int) -> Any:
    """Convert a convolution with a bias of each channel."""
    if not node.has(place):
        return y
    return op.add(y, op.reshape(node.tensor(place), [-1, *[1] * spatial]))


@converter("Conv")
def conv(node: OnnxNode) -> Any:
    spatial = spatial_rank(node)
    kernel = known_kernel(node, 1, spatial)
    strides, dilation = (numbers(node, name, spatial) for name in ("strides", "dilations"))
    x, pads = padded_input(
        node, node.tensor(0), kernel, strides, dilation, np.zeros((), node.dtype(0))
    )
    make = (op.conv1d, op.conv2d, op.conv3d)[spatial - 1]
    y = make(
        x, node.tensor(1),
        strides=strides, padding=pads, dilation=dilation, groups=node.attr("group"),
    )  # fmt: skip
    return with_bias(node, y, 2, spatial)


@converter("ConvTranspose")
def conv_transpose(node: OnnxNode) -> Any:
    spatial = spatial_rank(node)
    kernel = known_kernel(node, 1, spatial)
    strides, dilation = (numbers(node, name, spatial) for name in ("strides", "dilations"))
    output_padding = list(node.attr("output_padding", None) or [0] * spatial)
    pads, output_padding = _transposed_padding(node, kernel, strides, dilation, output_padding)
    x = node.tensor(0)
    make = (op.conv1d_transpose, op.conv2d_transpose, op.conv3d_transpose)[spatial - 1]
    y = make(
        x, node.tensor(1), strides=strides, padding=pads,
        output_padding=output_padding, dilation=dilation, groups=node.attr("group"),
    )  # fmt: skip
    return with_bias(node, y, 2, spatial)


def _transposed_padding(
    node: OnnxNode,
    kernel: Sequence[int | None],
    strides: list[int],
    dilation: list[int],
    more: list[int],
) -> tuple[list[int], list[int]]:
    """Return the padding taken off before and after each axis, and the padding added: as the node specifies
    them, or so that the result has the sizes of `output_shape`, or those of x times the strides."""
    mode, wanted = node.attr("auto_pad", "NOTSET"), node.attr("output_shape", None)
    if wanted is None and mode not in ("SAME_UPPER", "SAME_LOWER"):
        return paddings(node, kernel, strides, dilation), more
    reaches = [(k - 1) * d + 1 for k, d in zip(kernel, dilation) if k is not None]
    if len(reaches) != len(kernel):
        node.unsupported(
            "output_shape or auto_pad for a kernel whose size is not known", "fix its sizes"
        )
    before, after = [], []
    sizes = node.shape(0)[2:]
    for axis, (size, s, reach) in enumerate(zip(sizes, strides, reaches)):
        if wanted is None:
            total = reach - s + more[axis]
        elif size.value is None:
            node.unsupported(
                f"output_shape for a size {size} that is not known", "fix it (dims={...})"
            )
        else:
            total = (
                s * (size.value - 1) + more[axis] + reach - wanted[len(wanted) - len(sizes) + axis]
            )
        if total < 0:
            more[axis] -= total
            total = 0
        small, large = total // 2, total - total // 2
        before.append(small if mode == "SAME_UPPER" else large)
        after.append(large if mode == "SAME_UPPER" else small)
    return [*before, *after], more
