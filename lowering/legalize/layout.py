"""Operators that change the layout of data: blocks of pixels and channels, and index maps.

Axes are split, put into another order, and merged: two views, and a copy between them.
"""

from __future__ import annotations

from lowering.legalize.manipulate import require, transposed
from lowering.legalize.registry import legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.layout import (
    DepthToSpaceOp,
    LayoutTransformOp,
    PixelBlockOp,
    PixelShuffleOp,
    PixelUnshuffleOp,
    SpaceToDepthOp,
)
from relax_dialect.prim.run_time_checks import hole


@legalize(PixelShuffleOp, PixelUnshuffleOp, DepthToSpaceOp, SpaceToDepthOp)
def rearrange(op: PixelBlockOp, x: te.Tensor) -> te.Tensor:
    """Rearrange an image with axes c, h and w and block positions i and j: next to the channels where these
    are deep, next to h and w where blocks are pixels."""
    shape, side, lead = result_shape(op), symbolic.const(op.side), range(x.ndim - 3)
    channels = (x.shape if op.TO_CHANNELS else shape)[-3]
    rows, columns = (shape if op.TO_CHANNELS else x.shape)[-2:]
    sizes = {"c": channels, "h": rows, "w": columns, "i": side, "j": side}
    deep, pixels = "ijchw" if op.mode == "DCR" else "cijhw", "chiwj"
    old, new = (pixels, deep) if op.TO_CHANNELS else (deep, pixels)
    requires: list[te.Requirement] = []
    for axis, (divisor, demand) in op.demands().items():
        whole = x.shape[axis] // divisor * divisor
        if whole is not x.shape[axis]:
            requires.append(require(op, demand, hole(x.shape[axis]), whole, x.shape[axis]))
    split = (*x.shape[:-3], *(sizes[letter] for letter in old))
    axes = [*lead, *(len(lead) + old.index(letter) for letter in new)]
    return te.reshape(transposed(te.reshape(x, split, "split", requires), axes), shape, "out")


@legalize(LayoutTransformOp)
def layout_transform(op: LayoutTransformOp, x: te.Tensor) -> te.Tensor:
    """Blocks that are not full are padded first."""
    index_map = op.map
    parts: list[tuple[int, str]] = []
    split: list[symbolic.Expr] = []
    whole: list[symbolic.Expr] = []
    for axis, size in enumerate(x.shape):
        if block := index_map.block_of(axis):
            count = symbolic.ceildiv(size, block)
            parts += [(axis, "outer"), (axis, "inner")]
            split += [count, symbolic.const(block)]
            whole.append(count * block)
        else:
            parts.append((axis, "whole"))
            split.append(size)
            whole.append(size)
    if any(a is not b for a, b in zip(whole, x.shape)):
        x = te.pad(x, whole, [0] * x.ndim, op.pad_value, name="whole")
    requires = [
        require(op, op.demand(p), hole(x.shape[p.axis]), x.shape[p.axis], symbolic.const(p.block))
        for p in index_map.pieces
        if p.part == "whole" and p.block and x.shape[p.axis].value is None
    ]
    axes = [parts.index((piece.axis, piece.part)) for piece in index_map.pieces]
    moved = transposed(te.reshape(x, split, "split"), axes)
    return te.reshape(moved, result_shape(op), "out", requires)
