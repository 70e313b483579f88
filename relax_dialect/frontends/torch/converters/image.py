"""Images of other sizes, and samples of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode

METHODS = {
    "nearest": "nearest_neighbor",
    "linear": "linear",
    "bilinear": "linear",
    "trilinear": "linear",
    "bicubic": "cubic",
}
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@converter(
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d",
    "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
    "_upsample_nearest_exact1d", "_upsample_nearest_exact2d", "_upsample_nearest_exact3d",
    "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa",
)  # fmt: skip
def upsample(node: TorchNode) -> Any:
    spatial = node.rank(0) - 2
    kind = node.operator.removeprefix("_").removesuffix("_aa").split("_")[1].rstrip("123d")
    is_exact = "exact" in node.operator
    transform = "half_pixel" if kind != "nearest" or is_exact else "asymmetric"
    if node.arg("align_corners"):
        transform = "align_corners"
    options: dict[str, Any] = (
        {"rounding_method": "floor"} if kind == "nearest" and not is_exact else {}
    )
    if is_exact:
        options["rounding_method"] = "round_prefer_ceil"
    if (scales := _scales(node)) is not None and transform != "align_corners":
        options["scales"] = node.emit(const(np.array(scales, np.float32)))
    if node.operator.endswith("_aa"):
        if node.arg("align_corners"):
            node.unsupported("antialias with align_corners", "leave one of them out")
        options.update(antialias=True, cubic_exclude=True, cubic_alpha=-0.5)
    resize = getattr(op, f"resize{spatial}d")
    return resize(
        node.tensor(0),
        node.out_shape[2:],
        method=METHODS[kind],
        coordinate_transformation_mode=transform,
        **options,
    )


def _scales(node: TorchNode) -> list[float] | None:
    """Return the scales that the model states, which need not be those of the sizes."""
    found = node.arg("scale_factors")
    if found is None:
        found = [node.arg(key) for key in node.keys if key.startswith("scales")]
    if not found or any(not isinstance(scale, int | float) for scale in found):
        return None
    return [float(scale) for scale in found]


@converter("grid_sampler_2d", "grid_sampler_3d", "grid_sampler")
def grid_sample(node: TorchNode) -> Any:
    mode, padding = MODES[node.arg("interpolation_mode")], PADDINGS[node.arg("padding_mode")]
    make = op.grid_sample if node.rank(0) == 4 else op.grid_sample3d
    layout = "NCHW" if node.rank(0) == 4 else "NCDHW"
    return make(
        node.tensor(0), node.tensor("grid"), mode, layout, padding, bool(node.arg("align_corners"))
    )
