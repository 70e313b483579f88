"""Operators that change the layout of data: blocks of pixels and channels, and index maps."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.layout import (
    DepthToSpaceOp,
    LayoutTransformOp,
    PixelBlockOp,
    PixelShuffleOp,
    PixelUnshuffleOp,
    SpaceToDepthOp,
)


def rearrange(op: PixelBlockOp, x: Array) -> Array:
    """Rearrange channels into blocks of pixels, or blocks into channels.

    Both are a copy between the views `[..., c, y, x]` of the channels and `[..., c, h, y, w, x]` of the
    pixels, where y and x are the position in a block.
    """
    for axis, (divisor, demand) in op.demands().items():
        if x.shape[axis] % divisor:
            raise RelaxError(f"expected {demand}, found {x.shape[axis]}")
    b, (*batch, channels, height, width) = op.side, x.shape
    front = tuple(range(len(batch)))
    c, y, px, h, w = (len(batch) + place for place in range(5))
    channel_axes = (y, px, c) if op.mode == "DCR" else (c, y, px)
    # The axes c, y, x, h, w in the order in which they lie among the pixels and among the channels.
    pixels, deep = (c, h, y, w, px), (*channel_axes, h, w)
    if op.TO_CHANNELS:
        sizes = {c: channels, h: height // b, y: b, w: width // b, px: b}
        source, target = pixels, deep
        shape = (channels * b * b, height // b, width // b)
    else:
        sizes = {c: channels // b**2, h: height, y: b, w: width, px: b}
        source, target = deep, pixels
        shape = (channels // b**2, height * b, width * b)
    view = x.reshape(*batch, *(sizes[axis] for axis in source))
    order = [len(batch) + source.index(axis) for axis in target]
    return view.transpose(*front, *order).reshape(*batch, *shape)


def layout_transform(op: LayoutTransformOp, x: Array) -> Array:
    """Pad dimensions, split them into blocks, reorder and merge them."""
    index_map = op.map
    for piece in index_map.pieces:
        if piece.part == "whole" and piece.block and x.shape[piece.axis] != piece.block:
            raise RelaxError(f"expected {op.demand(piece)}, found {x.shape[piece.axis]}")
    blocks = [index_map.block_of(axis) for axis in range(x.ndim)]
    missing = [(0, -size % block if block else 0) for size, block in zip(x.shape, blocks)]
    filled = np.pad(x, missing, constant_values=np.asarray(op.pad_value).astype(x.dtype))
    sizes: dict[tuple[int, str], int] = {}
    for axis, (size, block) in enumerate(zip(filled.shape, blocks)):
        if block:
            sizes[axis, "outer"], sizes[axis, "inner"] = size // block, block
        else:
            sizes[axis, "whole"] = size
    places = list(sizes)
    order = [places.index((piece.axis, piece.part)) for piece in index_map.pieces]
    shape = [prod(sizes[p.axis, p.part] for p in pieces) for pieces in index_map.results]
    return filled.reshape(list(sizes.values())).transpose(order).reshape(shape)


@register_impls
class LayoutFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.layout`."""

    pixel_shuffle = operator_with_attributes(PixelShuffleOp, rearrange)
    pixel_unshuffle = operator_with_attributes(PixelUnshuffleOp, rearrange)
    depth_to_space = operator_with_attributes(DepthToSpaceOp, rearrange)
    space_to_depth = operator_with_attributes(SpaceToDepthOp, rearrange)
    layout_transform = operator_with_attributes(LayoutTransformOp, layout_transform)
