"""Samples and regions of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx import run_time
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

GRID_METHODS = {"bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest"}
GRID_METHODS |= {"bicubic": "bicubic", "cubic": "bicubic"}


@converter("GridSample")
def grid_sample(node: OnnxNode) -> Any:
    """Convert a `GridSample` of images or volumes."""
    rank = node.rank(0)
    if rank not in (4, 5):
        node.unsupported(f"{rank - 2} spatial axes", "use two or three")
    make = op.grid_sample if rank == 4 else op.grid_sample3d
    return make(
        node.tensor(0), node.tensor(1), node.choice("mode", GRID_METHODS),
        padding_mode=node.attr("padding_mode"), align_corners=bool(node.attr("align_corners")),
    )  # fmt: skip


@converter("AffineGrid")
def affine_grid(node: OnnxNode) -> Any:
    """Return points (x, y, 1) or (x, y, z, 1), from -1 to 1, under maps; an axis of size 1 has the first
    point."""
    batch, _, *size = node.sizes(1)
    dtype, rank = node.dtype(0).name, len(size)
    lengths = op.astype(run_time.sizes_vector(node, size), dtype)
    axes = [op.full(size, np.ones((), dtype))]
    for axis, count in enumerate(size):
        at: Any = op.astype(op.arange(0, count, dtype="i64"), dtype)
        length: Any = op.strided_slice(lengths, [0], [axis], [axis + 1])
        if node.attr("align_corners"):
            at = at * 2.0 / op.maximum(length - 1.0, np.ones((), dtype))
        else:
            at = (at * 2.0 + 1.0) / length
        at = op.expand_dims(at - 1.0, list(range(1, rank - axis)))
        axes.insert(0, op.broadcast_to(at, size))
    places = op.reshape(op.stack(axes, -1), [symbolic.product(size), rank + 1])
    maps = op.permute_dims(node.with_first_size(node.tensor(0), batch), [0, 2, 1])
    return op.reshape(op.matmul(places, maps), [batch, *size, rank])


@converter("MaxRoiPool")
def max_roi_pool(node: OnnxNode) -> Any:
    size, scale = node.attr("pooled_shape"), node.attr("spatial_scale")
    return op.roi_pool(node.tensor(0), node.tensor(1), size, scale)


@converter("RoiAlign")
def roi_align(node: OnnxNode) -> Any:
    """Convert a `RoiAlign`; image numbers are a separate input; ONNX's maxima are of weighted elements, not
    sums."""
    images = op.expand_dims(op.astype(node.tensor(2), node.dtype(1).name), [1])
    aligned = node.opset >= 16 and node.attr("coordinate_transformation_mode") == "half_pixel"
    return op.roi_align(
        node.tensor(0), op.concat([images, node.tensor(1)], 1),
        [node.attr("output_height"), node.attr("output_width")], node.attr("spatial_scale"),
        sample_ratio=node.attr("sampling_ratio") or -1, aligned=aligned,
        mode="max_addend" if node.attr("mode") == "max" else "avg",
    )  # fmt: skip
