"""Images."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.drawing import WIDE, Draw, UnsuitableError, Values, finite, normal
from peers.libraries import by_onnx, by_torch, functional
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import image as ops
from relax_dialect.ops import resizing
from relax_dialect.ops.vision import RoiAlignOp, RoiPoolOp

FEW = (0, 1, 2, 3)
EDGES = (1, 2, 3, 4, 5, 7)
RESIZES: dict[str, Build] = {
    "resize1d": resizing.Resize1dOp,
    "resize2d": resizing.Resize2dOp,
    "resize3d": resizing.Resize3dOp,
}
LOOSE: dict[str, float] = {"cancels": 50, "digits": 50}


def images(d: Draw, rank: int, dtype: str) -> list[int]:
    shape = [d.size(FEW), d.size(FEW), *(d.size(EDGES) for _ in range(rank))]
    d.array(shape, dtype, finite)
    return shape


@peer(*RESIZES, **LOOSE)
def resizes(d: Draw) -> tuple[Build, Meaning]:
    rank, build = int(d.operator[-2]), RESIZES[d.operator]
    images(d, rank, d.one(WIDE))
    size, aligned = [d.fixed(1, 9) for _ in range(rank)], d.flag()
    method = d.one(("nearest", "exact", "linear", "linear", *(["cubic"] if rank == 2 else [])))
    mode = "align_corners" if aligned else "half_pixel"
    if method in ("nearest", "exact"):
        how = ("asymmetric", "floor") if method == "nearest" else ("half_pixel", "round")
        theirs = {"mode": "nearest" if method == "nearest" else "nearest-exact"}
        return lambda x: build(x, size, None, None, "nearest_neighbor", *how), by_torch(
            lambda x: functional.interpolate(x, size, **theirs)
        )
    name = {"cubic": "bicubic"}.get(method, ("linear", "bilinear", "trilinear")[rank - 1])
    return lambda x: build(x, size, None, None, method, mode), by_torch(
        lambda x: functional.interpolate(x, size, mode=name, align_corners=aligned)
    )


MODES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
ROUNDING = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@peer("resize2d", **LOOSE)
def resizes_by_onnx(d: Draw) -> tuple[Build, Meaning]:
    """ONNX Runtime finds nearest elements in f32: sizes whose quotients it has exactly."""
    method, mode, rounding = d.one(("nearest", "linear", "cubic")), d.one(MODES), d.one(ROUNDING)
    exclude = method == "cubic" and d.flag()
    edges = (1, 2, 4) if method == "nearest" else EDGES
    shape = [d.size((1, 2)), d.size((1, 2)), d.size(edges), d.size(edges)]
    size = [d.one((1, 2, 4, 8)) if method == "nearest" else d.fixed(1, 9) for _ in range(2)]
    if mode == "align_corners" and method == "nearest":
        mode = "half_pixel"
    d.array(shape, "float32", finite)
    ours = {"nearest": "nearest_neighbor"}.get(method, method)
    node = by_onnx(
        "Resize",
        mode=method,
        coordinate_transformation_mode=mode,
        nearest_mode=rounding,
        exclude_outside=int(exclude),
    )
    return lambda x: resizing.Resize2dOp(
        x, size, None, None, ours, mode, rounding, -0.75, exclude
    ), lambda x: node(x, None, None, np.array([*x.shape[:2], *size]))


@peer("resize2d", **LOOSE)
def smooth_resizes(d: Draw) -> tuple[Build, Meaning]:
    """The peer leaves out what is outside, takes another alpha for the cubic kernel, and is wrong for results
    that are one pixel wide (PyTorch 2.13; ONNX Runtime is right)."""
    images(d, 2, d.one(("float32", "float64")))
    size, method = [d.fixed(1, 5), d.fixed(2, 9)], d.one(("linear", "cubic"))
    words = None, None, method, None, None, -0.5, True
    return lambda x: resizing.Resize2dOp(x, size, *words, antialias=True), by_torch(
        lambda x: functional.interpolate(x, size, mode=f"bi{method}", antialias=True)
    )


@peer("resize2d", **LOOSE)
def crops_by_onnx(d: Draw) -> tuple[Build, Meaning]:
    shape = [d.size((1, 2)), d.size((1, 2)), d.size(EDGES), d.size(EDGES)]
    size, corners = [d.fixed(1, 9) for _ in range(2)], [d.whole(-4, 8) / 8 for _ in range(2)]
    roi = [*corners, *(corner + d.whole(1, 12) / 8 for corner in corners)]
    if shape[2] == size[0] or shape[3] == size[1]:
        raise UnsuitableError  # ONNX Runtime looks at no region along an axis that keeps its size
    d.array(shape, "float32", finite)
    mode = "tf_crop_and_resize"
    node = by_onnx(
        "Resize",
        mode="linear",
        coordinate_transformation_mode=mode,
        extrapolation_value=7.0,
    )
    whole = np.array([0, 0, *roi[:2], 1, 1, *roi[2:]], np.float32)
    return lambda x: resizing.Resize2dOp(
        x, size, roi, None, "linear", mode, "round", extrapolation_value=7.0
    ), lambda x: node(x, whole, None, np.array([*x.shape[:2], *size]))


@peer("grid_sample", "grid_sample3d", **LOOSE)
def grid_sample(d: Draw) -> tuple[Build, Meaning]:
    dtype, rank = d.one(WIDE), 3 if d.operator == "grid_sample3d" else 2
    shape = images(d, rank, dtype)
    grid = [shape[0], *(d.size(FEW) for _ in range(rank)), rank]
    d.array(grid, dtype, lambda x, d: 1.5 * normal(x, d))
    method = d.one(("nearest", "bilinear", *(["bicubic"] if rank == 2 else [])))
    padding, aligned = d.one(("zeros", "border", "reflection")), d.flag()
    build: Build = ops.GridSampleOp if rank == 2 else ops.GridSample3dOp
    return lambda x, grid: build(x, grid, method, None, padding, aligned), by_torch(
        lambda x, grid: functional.grid_sample(
            x, grid, mode=method, padding_mode=padding, align_corners=aligned
        )
    )


@peer("affine_grid")
def affine_grid(d: Draw) -> tuple[Build, Meaning]:
    size, aligned, batch = (
        [d.fixed(1, 6) for _ in range(d.whole(2, 3))],
        d.flag(),
        d.size((1, 2, 3)),
    )
    d.array([batch, len(size), len(size) + 1], d.one(WIDE), finite)
    return lambda x: ops.AffineGridOp(x, size, aligned), by_torch(
        lambda x: functional.affine_grid(x, [x.shape[0], 1, *size], align_corners=aligned).movedim(
            -1, 1
        )
    )


def regions(images_there: int) -> Values:
    """Rows of an image's number and the corners of a region, within the image or not."""

    def values(x: np.ndarray, d: Draw) -> np.ndarray:
        which = d.numbers.integers(0, images_there, (len(x), 1))
        corners, sizes = (
            d.numbers.uniform(-3, 16, (len(x), 2)),
            d.numbers.uniform(0, 12, (len(x), 2)),
        )
        return np.concatenate([which, corners, corners + sizes], 1)

    return values


@peer("roi_align", **LOOSE)
def roi_align(d: Draw) -> tuple[Build, Meaning]:
    """ONNX has the image of a region in an input of its own."""
    batch = d.fixed(1, 3)
    d.array([batch, d.size((1, 2, 3)), d.size(EDGES), d.size(EDGES)], "float32", normal)
    d.array([d.size((1, 2, 3)), 5], "float32", regions(batch))
    scale, ratio, aligned = d.one((0.25, 0.5, 1.0)), d.whole(0, 3), d.flag()
    size, largest = [d.fixed(1, 4), d.fixed(1, 4)], d.flag()
    node: Any = by_onnx(
        "RoiAlign",
        mode="max" if largest else "avg",
        output_height=size[0],
        output_width=size[1],
        spatial_scale=scale,
        sampling_ratio=ratio,
        coordinate_transformation_mode="half_pixel" if aligned else "output_half_pixel",
    )
    mode = "max_addend" if largest else "avg"
    return lambda x, rois: RoiAlignOp(
        x, rois, size, scale, ratio, aligned, mode=mode
    ), lambda x, rois: node(x, rois[:, 1:], rois[:, 0].astype(np.int64))


@peer("roi_pool", **exact)
def roi_pool(d: Draw) -> tuple[Build, Meaning]:
    batch = d.fixed(1, 3)
    d.array([batch, d.size((1, 2, 3)), d.size(EDGES), d.size(EDGES)], "float32", normal)
    d.array([d.size((1, 2, 3)), 5], "float32", regions(batch))
    scale, size = d.one((0.25, 0.5, 1.0)), [d.fixed(1, 4), d.fixed(1, 4)]
    node = by_onnx("MaxRoiPool", pooled_shape=size, spatial_scale=scale)
    return lambda x, rois: RoiPoolOp(x, rois, size, scale), node
