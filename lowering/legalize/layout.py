"""Operators that change the layout of data: blocks of pixels and channels, and index maps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_
from typing import Any

from lowering.legalize.manipulate import require
from lowering.legalize.registry import legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.layout import (
    BlockOp,
    DepthToSpaceOp,
    LayoutTransformOp,
    PixelShuffleOp,
    PixelUnshuffleOp,
    SpaceToDepthOp,
)
from relax_dialect.run_time_checks import hole


@legalize(PixelShuffleOp, PixelUnshuffleOp, DepthToSpaceOp, SpaceToDepthOp)
def rearrange(op: BlockOp, x: te.Tensor) -> te.Tensor:
    """Every pixel of a block from its channel, or the other way round."""
    side = op.side
    channels = x.shape[-3] if op.TO_CHANNELS else result_shape(op)[-3]

    def to_channels(deep: Any, row: Any, column: Any) -> tuple[Any, ...]:
        if op.mode == "DCR":
            place, channel = te.floordiv(deep, channels), te.floormod(deep, channels)
        else:
            place, channel = te.floormod(deep, side**2), te.floordiv(deep, side**2)
        y, x = te.floordiv(place, side), te.floormod(place, side)
        return channel, row * side + y, column * side + x

    def to_pixels(channel: Any, row: Any, column: Any) -> tuple[Any, ...]:
        place = te.floormod(row, side) * side + te.floormod(column, side)
        deep = place * channels + channel if op.mode == "DCR" else channel * side**2 + place
        return deep, te.floordiv(row, side), te.floordiv(column, side)

    source = to_channels if op.TO_CHANNELS else to_pixels
    requires: list[te.Requirement] = []
    for axis, (divisor, demand) in op.demands().items():
        whole = x.shape[axis] // divisor * divisor
        if whole is not x.shape[axis]:
            requires.append(require(op, demand, hole(x.shape[axis]), whole, x.shape[axis]))
    return te.compute(
        result_shape(op), lambda *i: x[(*i[:-3], *source(*i[-3:]))], name="out", requires=requires
    )


@legalize(LayoutTransformOp)
def layout_transform(op: LayoutTransformOp, x: te.Tensor) -> te.Tensor:
    """Every element from the place that the parts of its index make up."""
    index_map = op.map
    ragged = [
        axis
        for axis, size in enumerate(x.shape)
        if (block := index_map.block_of(axis))
        and symbolic.exact_quotient(size, symbolic.const(block)) is None
    ]

    def element(*i: te.IterVar) -> te.Scalar:
        parts: dict[tuple[int, str], Any] = {}
        for index, (major, *minor) in zip(i, index_map.results):
            rest: Any = index
            for piece in reversed(minor):
                parts[piece.axis, piece.part] = te.floormod(rest, piece.block)
                rest = te.floordiv(rest, piece.block)
            parts[major.axis, major.part] = rest
        places = [_place(parts, axis, index_map.block_of(axis)) for axis in range(x.ndim)]
        if not ragged:
            return x[tuple(places)]
        inside = reduce(and_, [places[axis] < x.shape[axis] for axis in ragged])
        return te.if_then_else(inside, x[tuple(places)], te.const(op.pad_value, x.dtype))

    requires = [
        require(op, op.demand(p), hole(x.shape[p.axis]), x.shape[p.axis], symbolic.const(p.block))
        for p in index_map.pieces
        if p.part == "whole" and p.block and x.shape[p.axis].value is None
    ]
    return te.compute(result_shape(op), element, name="out", requires=requires)


def _place(parts: Mapping[tuple[int, str], Any], axis: int, block: int) -> Any:
    """The index of a dimension of x, of its parts if it is split."""
    return parts[axis, "outer"] * block + parts[axis, "inner"] if block else parts[axis, "whole"]
