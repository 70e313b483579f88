"""Operators on indices and on images against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_dialect.ops.image import Resize2dOp, Resize3dOp
from relax_dialect.ops.indexing import GatherElementsOp, GatherNdOp, TakeOp
from relax_dialect.ops.scattering import ScatterElementsOp, ScatterNdOp
from relax_dialect.ops.slicing import StridedSliceOp
from relax_dialect.ops.vision import RoiAlignOp, RoiPoolOp

from .onnx_peer import onnx_runtime
from .peers import agree


def onnx_result(name: str, *inputs: np.ndarray | None, **attributes: Any) -> np.ndarray:
    """What ONNX Runtime gives for one node."""
    return onnx_runtime(name, inputs, **attributes)[0]


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def indices(size: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(-size, size, shape)


def test_take_agrees_with_onnx():
    x, i = random(4, 7, 3), indices(7, 2, 5)
    agree(lambda x, i: TakeOp(x, i, 1), [x, i], onnx_result("Gather", x, i, axis=1))


def test_gather_elements_agrees_with_onnx():
    x, i = random(4, 7), indices(7, 4, 5)
    expected = onnx_result("GatherElements", x, i, axis=-1)
    agree(lambda x, i: GatherElementsOp(x, i, -1), [x, i], expected)


@pytest.mark.parametrize("batch", [0, 1])
def test_gather_nd_agrees_with_onnx(batch: int):
    x, i = random(4, 4, 4, 2), indices(4, 4, 3, 2)
    expected = onnx_result("GatherND", x, i, batch_dims=batch)
    agree(lambda x, i: GatherNdOp(x, i, batch), [x, i], expected, compiled=True)


NAMES = {"update": "none", "add": "add", "mul": "mul", "max": "max", "min": "min"}
"""ONNX's names of the reductions."""


@pytest.mark.parametrize("reduction", NAMES)
def test_scatters_agree_with_onnx(reduction: str):
    x, i, u = random(4, 5), np.array([[1, -2, 0]] * 4), random(4, 3)
    expected = onnx_result("ScatterElements", x, i, u, axis=1, reduction=NAMES[reduction])
    agree(lambda x, i, u: ScatterElementsOp(x, i, u, 1, reduction), [x, i, u], expected)
    i, u = np.array([[1], [-1], [0]]), random(3, 5)
    expected = onnx_result("ScatterND", x, i, u, reduction=NAMES[reduction])
    agree(lambda x, i, u: ScatterNdOp(x, i, u, reduction), [x, i, u], expected, compiled=True)


@pytest.mark.parametrize("bounds", [(-2, -100, -3), (1, 1000, 2), (6, 0, -1), (-3, -1, 1)])
def test_slices_agree_with_onnx(bounds: tuple[int, int, int]):
    x, (begin, end, step) = random(3, 7), bounds
    expected = onnx_result("Slice", x, *(np.array([k]) for k in (begin, end, 1, step)))
    agree(lambda x: StridedSliceOp(x, [1], [begin], [end], [step]), [x], expected, compiled=True)


ROUNDING = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}
MODES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["nearest", "linear", "cubic", "cubic_exclude"])
@pytest.mark.parametrize("size", [(8, 12), (2, 3), (4, 1), (16, 9)])
def test_resize2d_agrees_with_onnx(mode: str, method: str, size: tuple[int, int]):
    """With sizes for which the single precision that ONNX Runtime computes coordinates in is exact
    enough to find the same nearest element."""
    x = random(2, 3, 4, 6)
    ours = {"nearest": "nearest_neighbor"}.get(method, method.removesuffix("_exclude"))
    exclude = method.endswith("exclude")
    for word in sorted(ROUNDING) if method == "nearest" else ["floor"]:
        expected = onnx_result(
            "Resize", x, None, None, np.array([2, 3, *size]),
            mode=method.removesuffix("_exclude"), coordinate_transformation_mode=mode,
            nearest_mode=word, exclude_outside=int(exclude),
        )  # fmt: skip
        agree(
            lambda x, word=word: Resize2dOp(x, size, None, None, ours, mode, word, -0.75, exclude),
            [x],
            expected,
            compiled=size == (8, 12) and mode == "half_pixel" and word == "floor",
        )


def test_resize3d_agrees_with_onnx():
    x = random(1, 2, 3, 4, 5)
    expected = onnx_result("Resize", x, None, None, np.array([1, 2, 5, 2, 7]), mode="linear")
    agree(lambda x: Resize3dOp(x, [5, 2, 7]), [x], expected, compiled=True)


@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_cropping_agrees_with_onnx(method: str):
    x, roi = random(1, 2, 5, 9), [0.25, -0.25, 0.75, 1.5]
    whole = np.array([0, 0, *roi[:2], 1, 1, *roi[2:]], np.float32)
    mode = "tf_crop_and_resize"
    expected = onnx_result(
        "Resize", x, whole, None, np.array([1, 2, 7, 6]), mode=method,
        coordinate_transformation_mode=mode, extrapolation_value=7.0,
        nearest_mode="round_prefer_floor",
    )  # fmt: skip
    ours = {"nearest": "nearest_neighbor"}.get(method, method)
    word = "round_prefer_floor"
    agree(
        lambda x: Resize2dOp(x, [7, 6], roi, None, ours, mode, word, extrapolation_value=7.0),
        [x],
        expected,
        compiled=True,
    )


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.3])
def test_roi_pool_agrees_with_onnx(scale: float):
    """Regions within the image, beyond it, turned over and of one element."""
    x = random(2, 3, 8, 9)
    rois = np.array(
        [[0, 1, 1, 6, 7], [1, 2, 2, 17, 15], [1, 3, 4, 3.5, 4.5], [0, -5, -1.5, 9, 30],
         [1, 6, 6, 2, 3], [0, 2.5, -2.5, 6.5, 5]], "f"
    )  # fmt: skip
    expected = onnx_result("MaxRoiPool", x, rois, pooled_shape=[4, 2], spatial_scale=scale)
    agree(lambda x, rois: RoiPoolOp(x, rois, [4, 2], scale), [x, rois], expected, compiled=True)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [0, 2])
def test_roi_align_agrees_with_onnx(aligned: bool, ratio: int):
    """ONNX has the image of a region in an input of its own."""
    x, scale = random(2, 3, 8, 9), 0.5
    regions = np.array([[0, 1, 6, 13], [2, 2, 17, 15], [3, 4, 3.5, 4.5], [-3, -1, 9, 30]], "f")
    of_image = np.array([0, 1, 1, 0])
    expected = onnx_result(
        "RoiAlign", x, regions, of_image, output_height=3, output_width=2, spatial_scale=scale,
        sampling_ratio=ratio,
        coordinate_transformation_mode="half_pixel" if aligned else "output_half_pixel",
    )  # fmt: skip
    rois = np.concatenate([of_image[:, None].astype("f"), regions], 1)
    agree(
        lambda x, rois: RoiAlignOp(x, rois, [3, 2], scale, ratio, aligned),
        [x, rois],
        expected,
        compiled=True,
    )
