"""Convolutions, pools, images of other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Draw, Drawn, draws


def images(draw: Draw, axes: int | None = None, smallest: int = 3) -> tuple[list[int], Any]:
    count: int = axes or draw.one(1, 2, 2, 3)
    shape = [draw.int(1, 2), draw.int(1, 4), *(draw.int(smallest, 7) for _ in range(count))]
    return shape, draw.numbers.standard_normal(shape).astype("float32")


def window(draw: Draw, axes: int, kernel: list[int], dilated: bool = True) -> dict[str, Any]:
    """Strides, padding and dilation."""
    found: dict[str, Any] = {}
    if draw.chance():
        found["strides"] = [draw.int(1, 3) for _ in range(axes)]
    if dilated and draw.chance(0.3):
        found["dilations"] = [draw.int(1, 2) for _ in range(axes)]
    kind = draw.one("none", "pads", "pads", "auto")
    if kind == "pads":
        found["pads"] = [draw.int(0, k - 1) for k in kernel * 2]
    elif kind == "auto":
        found["auto_pad"] = draw.one("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
        found.pop("dilations", None)
    return found


@draws("Conv ConvTranspose")
def convolution(draw: Draw) -> Drawn:
    shape, _ = images(draw)
    axes, groups = len(shape) - 2, draw.one(1, 1, 2, 3)
    kernel = [draw.int(1, 3) for _ in range(axes)]
    shape[1] = groups * draw.int(1, 2)
    filters = groups * draw.int(1, 2)
    is_transposed = draw.op_type == "ConvTranspose"
    sizes = [shape[1], filters // groups] if is_transposed else [filters, shape[1] // groups]
    given = {"group": groups, **window(draw, axes, kernel)}
    if draw.chance():
        given["kernel_shape"] = kernel
    if is_transposed and "SAME" in given.get(
        "auto_pad", ""
    ):  # else the peer finds other sizes than ONNX
        given.pop("strides", None)
    if is_transposed and "strides" in given and draw.chance(0.4):
        given["output_padding"] = [draw.int(0, s - 1) for s in given["strides"]]
    inputs = [draw.numbers.standard_normal(s).astype("float32") for s in (shape, [*sizes, *kernel])]
    if draw.chance():
        inputs.append(draw.numbers.standard_normal(filters).astype("float32"))
    constants = list(range(1, len(inputs))) if draw.chance() else []
    return Drawn(draw.op_type, inputs, given, constants, tolerance=10, symbolic=draw.chance(0.3))


@draws("MaxPool AveragePool LpPool")
def pool(draw: Draw) -> Drawn:
    shape, x = images(draw)
    axes = len(shape) - 2
    kernel = [draw.int(1, 3) for _ in range(axes)]
    has_dilation = draw.opset >= {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[draw.op_type]
    given = {"kernel_shape": kernel, **window(draw, axes, kernel, has_dilation)}
    if (
        draw.opset >= {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[draw.op_type]
        and "auto_pad" not in given
    ):
        given["ceil_mode"] = draw.int(0, 1)
    elif draw.chance(
        0.1
    ):  # windows that fit nowhere, one after the other: by strides the peer finds some
        kernel[0] = shape[2] + 1
        given = {"kernel_shape": kernel}
    if draw.op_type == "AveragePool":
        given["count_include_pad"] = draw.int(0, 1)
    if draw.op_type == "LpPool":
        given["p"] = draw.int(1, 3)
    return Drawn(draw.op_type, [x], given, tolerance=10, symbolic=draw.chance(0.3))


@draws("GlobalMaxPool GlobalAveragePool GlobalLpPool")
def global_pool(draw: Draw) -> Drawn:
    given = {"p": draw.int(1, 3)} if draw.op_type == "GlobalLpPool" else {}
    return Drawn(draw.op_type, [images(draw)[1]], given, tolerance=10)


@draws("Resize")
def resize(draw: Draw) -> Drawn | None:
    """Scales that leave whole sizes, or sizes; from opset 11 on with every way to count coordinates."""
    shape, x = images(draw, draw.one(1, 2, 2), 2)
    axes = len(shape) - 2
    new = [draw.int(1, 9) for _ in range(axes)]
    if draw.chance(0.1):
        shape[2], new[0], x = 0, 0, x[:, :, :0]
    if draw.opset < 10:
        return None
    if draw.opset < 11:
        scales = np.array([1, 1, *(draw.one(1.0, 2.0, 3.0) for _ in new)], "float32")
        return Drawn("Resize", [x, scales], {"mode": draw.one("nearest", "linear")}, [1])
    mode = draw.one("nearest", "linear", "cubic")
    if mode == "cubic" and axes != 2:
        mode = "linear"
    given = {"mode": mode}
    given["coordinate_transformation_mode"] = draw.one(
        "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"
    )
    if mode == "nearest":
        given["nearest_mode"] = draw.one("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic":
        given |= {"cubic_coeff_a": draw.one(-0.75, -0.5), "exclude_outside": draw.int(0, 1)}
    if mode != "cubic" and shape[2] and draw.chance(0.2):
        given |= {
            "coordinate_transformation_mode": "tf_crop_and_resize",
            "extrapolation_value": 2.5,
        }
        ends = [draw.numbers.random(axes) * 0.8 - 0.2, draw.numbers.random(axes) * 0.8 + 0.4]
        roi = np.concatenate([[0, 0], ends[0], [1, 1], ends[1]]).astype("float32")
        constants = draw.one([], [1], [3], [1, 3])
        new = [n + (n == h) for n, h in zip(new, shape[2:])]  # else the peer takes the whole axis
        sizes = np.array([*shape[:2], *new])
        return Drawn("Resize", [x, roi, None, sizes], given, constants, tolerance=10)
    if draw.chance():
        return Drawn(
            "Resize",
            [x, None, None, np.array([*shape[:2], *new])],
            given,
            [3] if draw.chance() else [],
            tolerance=10,
        )
    among = [1.0, 2.0, 3.0]
    if given["coordinate_transformation_mode"] != "align_corners":  # where the peer rounds the ends
        among += [0.5, 1.5, 0.6]
    scales = np.array([1, 1, *(draw.one(*among) for _ in new)], "float32")
    return Drawn("Resize", [x, None, scales], given, [2], tolerance=10, symbolic=False)


@draws("Upsample")
def upsample(draw: Draw) -> Drawn | None:
    _, x = images(draw, 2)
    if draw.opset > 9:
        return None
    scales, mode = [1.0, 1.0, draw.one(1.0, 2.0, 3.0), 2.0], {"mode": draw.one("nearest", "linear")}
    if draw.opset < 9:
        return Drawn("Upsample", [x], {"scales": scales, **mode})
    return Drawn("Upsample", [x, np.array(scales, "float32")], mode, [1])


@draws("GridSample")
def grid_sample(draw: Draw) -> Drawn:
    shape, x = images(draw, 2)
    grid = (draw.numbers.random((shape[0], draw.int(1, 4), draw.int(1, 4), 2)) * 2.6 - 1.3).astype(
        "float32"
    )
    names = (
        ("bilinear", "nearest", "bicubic") if draw.opset < 20 else ("linear", "nearest", "cubic")
    )
    given = {"mode": draw.one(*names), "padding_mode": draw.one("zeros", "border", "reflection")}
    return Drawn("GridSample", [x, grid], {**given, "align_corners": draw.int(0, 1)}, tolerance=100)


@draws("AffineGrid")
def affine_grid(draw: Draw) -> Drawn:
    """Where corners are aligned the peer takes the last place for the first of an axis of one place."""
    given = {"align_corners": draw.int(0, 1)}
    least = 1 + given["align_corners"]
    batch, size = draw.int(1, 3), [draw.int(least, 5) for _ in range(draw.int(2, 3))]
    maps = draw.numbers.standard_normal([batch, len(size), len(size) + 1]).astype("float32")
    constants = [1] if draw.chance() else []
    return Drawn("AffineGrid", [maps, np.array([batch, 2, *size])], given, constants, tolerance=10)


@draws("BatchNormalization")
def batch_normalization(draw: Draw) -> Drawn:
    shape, x = images(draw)
    channels = [shape[1]]
    rest = [draw.numbers.standard_normal(channels).astype("float32") for _ in range(3)]
    given = {"epsilon": draw.one(1e-5, 1e-2)} if draw.chance() else {}
    return Drawn(
        draw.op_type,
        [x, *rest, draw.positive("float32", channels)],
        given,
        draw.one([1, 2, 3, 4], []),
        tolerance=10,
    )


@draws("InstanceNormalization")
def instance_normalization(draw: Draw) -> Drawn:
    shape, x = images(draw)
    rest = [draw.numbers.standard_normal(shape[1]).astype("float32") for _ in range(2)]
    return Drawn(draw.op_type, [x, *rest], {"epsilon": 1e-3}, tolerance=20)


@draws("GroupNormalization")
def group_normalization(draw: Draw) -> Drawn | None:
    if draw.opset < 21:  # before, each group had a scale
        return None
    shape, _ = images(draw)
    groups = draw.int(1, 3)
    shape[1] = groups * draw.int(1, 2)
    inputs = [
        draw.numbers.standard_normal(s).astype("float32") for s in (shape, shape[1], shape[1])
    ]
    return Drawn(draw.op_type, inputs, {"num_groups": groups, "epsilon": 1e-3}, tolerance=20)


@draws("LayerNormalization RMSNormalization")
def layer_normalization(draw: Draw) -> Drawn:
    shape = [draw.int(1, 3), draw.int(1, 4), draw.int(2, 7)]
    axis = draw.int(-3, 2)
    inputs = [
        draw.numbers.standard_normal(s).astype("float32")
        for s in (shape, shape[axis:], shape[axis:])
    ]
    if draw.chance() or draw.op_type == "RMSNormalization":
        inputs.pop()
    return Drawn(draw.op_type, inputs, {"axis": axis, "epsilon": 1e-3}, tolerance=20)


@draws("LRN")
def lrn(draw: Draw) -> Drawn:
    shape, _ = images(draw, 2)
    shape[1] = draw.int(1, 6)
    x = draw.numbers.standard_normal(shape).astype("float32")
    given = {"size": draw.one(1, 3, 5)} | (
        {"alpha": 0.1, "beta": 0.5, "bias": 2.0} if draw.chance() else {}
    )
    return Drawn("LRN", [x], given, tolerance=10)
