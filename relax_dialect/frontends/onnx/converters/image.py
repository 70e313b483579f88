"""Images of other sizes, and samples of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr

METHODS = {
    "nearest": "nearest_neighbor",
    "linear": "linear",
    "bilinear": "linear",
    "cubic": "cubic",
}
RESIZES = (op.resize1d, op.resize2d, op.resize3d)
EXACT = 1e-6
"""How far a scaled size may be from a whole number that it stands for."""


def _sizes_of_scales(node: Node, shape: Sequence[Expr], scales: Sequence[float]) -> list[Expr]:
    """The sizes that scales lead to; those that leave a fraction have no counterpart here."""
    found = []
    for size, scale in zip(shape, scales):
        if scale == int(scale):
            found.append(size * int(scale))
        elif size.value is None:
            node.unsupported(f"the scale {scale} for a size {size}", "fix it (dims={...})")
        elif abs(size.value * scale - round(size.value * scale)) > EXACT * size.value:
            node.unsupported(f"the scale {scale} for a size {size}, which leaves a fraction")
        else:
            found.append(symbolic.const(round(size.value * scale)))
    return found


def _resized(
    node: Node, x: Any, shape: Sequence[Expr], target: Sequence[Expr], **options: Any
) -> Any:
    """Resized along the last one to three axes; those before them stay."""
    rank = len(shape)
    changed = [i for i, (old, new) in enumerate(zip(shape, target)) if old is not new]
    if not changed and "roi" not in options:
        return x
    first = min([*changed, rank - 1])
    first = max(first, 2) if changed and first >= 2 else first
    spatial = rank - first
    if spatial > 3:
        node.unsupported(f"other sizes for {spatial} axes")
    before = list(shape[:first])
    leading = [symbolic.const(1)] * (2 - len(before)) + before
    if len(leading) > 2:
        leading = [leading[0], symbolic.product(leading[1:])]
    if len(before) != 2:
        x = op.reshape(x, [*leading, *shape[first:]])
    if "roi" in options:
        starts, ends = np.split(np.asarray(options["roi"], float), 2)
        options["roi"] = [*starts[first:], *ends[first:]]
    y = RESIZES[spatial - 1](x, list(target[first:]), **options)
    return y if len(before) == 2 else op.reshape(y, [*before, *target[first:]])


@converter("Upsample")
def upsample(node: Node) -> Any:
    scales = node.attr("scales") if node.opset < 9 else node.array(1).tolist()
    return _by_scales(node, scales)


@converter("Resize")
def resize_10(node: Node) -> Any:
    return _by_scales(node, node.array(1).tolist())


def _by_scales(node: Node, scales: Sequence[float]) -> Any:
    shape, method = node.shape(0), node.choice("mode", METHODS)
    target = _sizes_of_scales(node, shape, scales)
    options = {"method": method, "coordinate_transformation_mode": "asymmetric"}
    return _resized(node, node.tensor(0), shape, target, **options, rounding_method="floor")


@converter("Resize", since=11)
def resize(node: Node) -> Any:
    shape = node.shape(0)
    rank = len(shape)
    axes = [node.checked_axis(a, rank) for a in node.attr("axes", None) or range(rank)]
    target = list(shape)
    has_sizes = node.has(3) and not (node.known(3) is not None and node.array(3).size == 0)
    if has_sizes:
        given = list(node.sizes(3))
        if node.attr("keep_aspect_ratio_policy", "stretch") != "stretch":
            given = _in_proportion(node, [shape[a] for a in axes], given)
    else:
        given = _sizes_of_scales(node, [shape[a] for a in axes], node.array(2).tolist())
    for axis, size in zip(axes, given):
        target[axis] = size
    mode = node.attr("coordinate_transformation_mode")
    options: dict[str, Any] = {"method": node.choice("mode", METHODS)}
    options["coordinate_transformation_mode"] = mode.replace("half_pixel_symmetric", "half_pixel")
    if options["method"] == "nearest_neighbor":
        options["rounding_method"] = node.attr("nearest_mode")
    if options["method"] == "cubic":
        options["cubic_alpha"] = node.attr("cubic_coeff_a")
        options["cubic_exclude"] = bool(node.attr("exclude_outside"))
    elif node.attr("exclude_outside"):
        node.unsupported("exclude_outside")
    if mode == "tf_crop_and_resize":
        roi = np.concatenate([np.zeros(rank), np.ones(rank)])
        roi[[*axes, *(a + rank for a in axes)]] = node.array(1)
        options |= {"roi": roi, "extrapolation_value": node.attr("extrapolation_value")}
    if node.attr("antialias", 0) and any(
        old is not new and symbolic.maximum(old, new) is not new for old, new in zip(shape, target)
    ):
        node.unsupported("antialias where sizes become smaller")
    return _resized(node, node.tensor(0), shape, target, **options)


def _in_proportion(node: Node, old: Sequence[Expr], wanted: Sequence[Expr]) -> list[Expr]:
    """Sizes that keep the ratio of the old ones, within the wanted ones or around them."""
    pairs = [(o.value, w.value) for o, w in zip(old, wanted)]
    numbers = [(o, w) for o, w in pairs if o is not None and w is not None]
    if len(numbers) != len(pairs):
        node.unsupported("keep_aspect_ratio_policy for sizes that are not known", "fix the sizes")
    ratios = [w / o for o, w in numbers]
    largest = node.attr("keep_aspect_ratio_policy") == "not_larger"
    scale = min(ratios) if largest else max(ratios)
    return _sizes_of_scales(node, old, [scale] * len(old))


GRID_METHODS = {"bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest"}
GRID_METHODS |= {"bicubic": "bicubic", "cubic": "bicubic"}


@converter("GridSample")
def grid_sample(node: Node) -> Any:
    """Of images; our operator has the coordinates in the first axis after the batch."""
    if node.rank(0) != 4:
        node.unsupported("volumes")
    return op.grid_sample(
        node.tensor(0), node.tensor(1), node.choice("mode", GRID_METHODS),
        padding_mode=node.attr("padding_mode"), align_corners=bool(node.attr("align_corners")),
    )  # fmt: skip


@converter("MaxRoiPool")
def max_roi_pool(node: Node) -> Any:
    size, scale = node.attr("pooled_shape"), node.attr("spatial_scale")
    return op.roi_pool(node.tensor(0), node.tensor(1), size, scale)


@converter("RoiAlign")
def roi_align(node: Node) -> Any:
    """ONNX has the numbers of the images apart; maxima are of weighed samples, not of their sums."""
    if node.attr("mode") == "max":
        node.unsupported("mode max, which takes the largest addend of a sample")
    images = op.expand_dims(op.astype(node.tensor(2), node.dtype(1).name), [1])
    aligned = node.opset >= 16 and node.attr("coordinate_transformation_mode") == "half_pixel"
    return op.roi_align(
        node.tensor(0), op.concat([images, node.tensor(1)], 1),
        [node.attr("output_height"), node.attr("output_width")], node.attr("spatial_scale"),
        sample_ratio=node.attr("sampling_ratio") or -1, aligned=aligned,
    )  # fmt: skip
