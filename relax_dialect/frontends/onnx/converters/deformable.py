"""Convolutions at offset positions, and columns assembled into images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.converters.convolution import with_bias
from relax_dialect.frontends.onnx.imported_values import vector
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.windows import known_kernel, numbers, paddings
from relax_dialect.symbolic import Expr

MEND = "correct the model"


@converter("DeformConv")
def deform_conv(node: OnnxNode) -> Any:
    """Multiply samples of x at the offset positions of all windows, as a matrix, by the weights of each
    group."""
    if node.rank(0) != 4:
        node.unsupported(f"{node.rank(0) - 2} spatial axes", "use two")
    kernel = [k for k in known_kernel(node, 1, 2) if k is not None]
    if len(kernel) != 2:
        node.unsupported("a kernel whose size is not known", "fix its sizes")
    strides, dilation = (numbers(node, name, 2) for name in ("strides", "dilations"))
    pads = paddings(node, kernel, strides, dilation)
    groups, parts, taps = node.attr("group"), node.attr("offset_group"), kernel[0] * kernel[1]
    if min(groups, parts) < 1:
        node.fail("1 group or more", str(min(groups, parts)), "correct the model")
    batch, channels, *sizes = node.shape(0)
    out_channels, (height, width) = node.shape(1)[0], node.shape(2)[2:]
    inner = [batch * parts, symbolic.floordiv(channels, parts)]
    places = [batch * parts, symbolic.const(taps), height, width]
    offsets = node.emit(op.reshape(node.tensor(2), [batch * parts, taps, 2, height, width]))
    grid = [_moved(node, offsets, axis, kernel, strides, dilation, pads) for axis in (1, 0)]
    grid = op.reshape(op.stack(grid, -1), [batch * parts, taps * height, width, 2])
    seen = op.grid_sample(op.reshape(node.tensor(0), [*inner, *sizes]), grid)
    seen = op.reshape(seen, [*inner, taps, height, width])
    if node.has(4):
        seen = op.multiply(seen, op.expand_dims(op.reshape(node.tensor(4), places), [1]))
    rows = symbolic.floordiv(channels, groups) * taps
    columns = op.reshape(seen, [batch, groups, rows, height * width])
    each = symbolic.floordiv(out_channels, groups)
    y = op.matmul(op.reshape(node.tensor(1), [groups, each, rows]), columns)
    return with_bias(node, op.reshape(y, [batch, out_channels, height, width]), 3, 2)


def _moved(
    node: OnnxNode,
    offsets: Any,
    axis: int,
    kernel: list[int],
    strides: list[int],
    dilation: list[int],
    pads: list[int],
) -> Any:
    """Return the positions of the windows along an axis, between -1 and 1 at the outer sides of its
    elements."""
    dtype, count = node.dtype(0).name, node.shape(2)[2 + axis]
    steps = np.arange(kernel[0] * kernel[1])
    step = steps // kernel[1] if axis == 0 else steps % kernel[1]
    first = (step * dilation[axis] - pads[axis]).astype(node.dtype(0)).reshape(-1, 1, 1)
    starts = op.multiply(op.arange(0, count, 1, "i64"), strides[axis])
    starts = op.reshape(op.astype(starts, dtype), [-1, 1] if axis == 0 else [1, -1])
    found = op.add(op.add(starts, first), op.squeeze(op.take(offsets, np.array([axis]), 2), [2]))
    size = op.astype(node.context.placed(vector([node.shape(0)[2 + axis]])), dtype)
    return op.subtract(op.divide(op.add(op.multiply(found, 2.0), 1.0), size), 1.0)


@converter("Col2Im")
def col_2_im(node: OnnxNode) -> Any:
    """Add the elements of all blocks at their positions in the padded image, whose border is cut off."""
    image, block = node.sizes(1), node.sizes(2)
    rank, taps = len(block), symbolic.product(block)
    strides, dilation = (numbers(node, name, rank) for name in ("strides", "dilations"))
    pads = list(node.attr("pads", None) or [0] * (2 * rank))
    least = [*strides, *dilation, *(size.value for size in block if size.value is not None)]
    if (len(image), len(pads)) != (rank, 2 * rank) or min(least) < 1 or min(pads) < 0:
        sizes = (f"[{', '.join(map(str, each))}]" for each in (image, block))
        found = f"{', '.join(sizes)}, strides {strides}, dilations {dilation}, pads {pads}"
        node.fail("sizes of an image and of a block, and strides and pads for these", found, MEND)
    padded = [size + (pads[d] + pads[d + rank]) for d, size in enumerate(image)]
    windows = zip(padded, block, strides, dilation)
    counts = [
        symbolic.floordiv(size - (k - 1) * d - 1, stride) + 1 for size, k, stride, d in windows
    ]
    batch, rows, columns = node.shape(0, 3)
    places = _places(node, block, counts, padded, strides, dilation)
    if any((count.value or 0) < 0 for count in counts) or symbolic.provably_different(
        columns, symbolic.product(counts)
    ):
        blocks, sizes, found = (f"[{', '.join(map(str, each))}]" for each in (block, image, counts))
        node.fail(f"{columns} blocks of {blocks} in an image of {sizes}", found, MEND)
    channels = symbolic.floordiv(rows, taps)
    x = node.with_sizes(node.tensor(0), [batch, channels * taps, symbolic.product(counts)])
    elements = op.reshape(x, [batch, channels, taps * symbolic.product(counts)])
    zeros = op.zeros([symbolic.product(padded), batch, channels], node.dtype(0).name)
    total = op.scatter_nd(zeros, places, op.permute_dims(elements, [2, 0, 1]), "add")
    total = op.reshape(op.permute_dims(total, [1, 2, 0]), [batch, channels, *padded])
    axes = list(range(2, rank + 2))
    ends = [size + pads[d] for d, size in enumerate(image)]
    return op.strided_slice(total, axes, pads[:rank], ends) if any(pads) else total


def _places(
    node: OnnxNode,
    block: Sequence[Expr],
    counts: Sequence[Expr],
    padded: Sequence[Expr],
    strides: list[int],
    dilation: list[int],
) -> Any:
    """Return the flat index in the padded image of each position of a block in each block."""
    rank = len(block)
    found: Any = None
    for d, (k, count) in enumerate(zip(block, counts)):
        ends: list[list[int | Expr]] = [[1] * (2 * rank) for _ in range(2)]
        ends[0][d], ends[1][d + rank] = k, count
        taps, starts = (
            op.reshape(op.multiply(op.arange(0, n, 1, "i64"), step), shape)
            for n, step, shape in zip((k, count), (dilation[d], strides[d]), ends)
        )
        along = op.add(taps, starts)
        if found is not None:
            along = op.add(op.multiply(found, node.context.placed(vector([padded[d]]))), along)
        found = node.emit(along)
    return op.reshape(found, [-1, 1])
