"""Adjoints of changes of layout: the change back."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.one_to_one_reads import added_at, numbered
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import layout as ops


@adjoint(ops.PixelShuffleOp)
def pixel_shuffle(of: Applied[ops.PixelShuffleOp], gy: Any) -> Any:
    return op.pixel_unshuffle(gy, of.op.side)


@adjoint(ops.PixelUnshuffleOp)
def pixel_unshuffle(of: Applied[ops.PixelUnshuffleOp], gy: Any) -> Any:
    return op.pixel_shuffle(gy, of.op.side)


@adjoint(ops.DepthToSpaceOp)
def depth_to_space(of: Applied[ops.DepthToSpaceOp], gy: Any) -> Any:
    back = op.space_to_depth if of.op.mode == "DCR" else op.pixel_unshuffle
    return back(gy, of.op.side)


@adjoint(ops.SpaceToDepthOp)
def space_to_depth(of: Applied[ops.SpaceToDepthOp], gy: Any) -> Any:
    return op.depth_to_space(gy, of.op.side, "DCR")


@adjoint(ops.LayoutTransformOp)
def layout_transform(of: Applied[ops.LayoutTransformOp], gy: Any) -> Any:
    """The numbers of the elements are moved alike, -1 where there is padding."""
    places = op.layout_transform(numbered(of), of.op.index_map, -1)
    return added_at(of.sizes(), of.type().dtype, places, gy, may_miss=True)
