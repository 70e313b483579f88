"""Boxes and regions of images, windows that look elsewhere, maxima put back."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Draw, Drawn, draws


@draws("NonMaxSuppression")
def non_max_suppression(draw: Draw) -> Drawn:
    batch, classes, count = draw.int(1, 2), draw.int(1, 3), draw.int(1, 8)
    corners = draw.numbers.random([batch, count, 2]) * 3
    sides = draw.numbers.random([batch, count, 2]) * 2 + 0.1
    boxes = np.concatenate([corners, sides if draw.chance() else corners + sides], 2).astype(
        "float32"
    )
    scores = draw.numbers.permutation(batch * classes * count).reshape(batch, classes, count)
    inputs: list[Any] = [boxes, (scores / scores.size).astype("float32")]
    limits = [
        np.array([draw.int(0, 5)]), np.array([draw.one(0.0, 0.2, 0.5, 0.9)], "float32"),
        np.array([draw.one(0.0, 0.3, 0.6)], "float32"),
    ]  # fmt: skip
    inputs += [limit if draw.chance(0.8) else None for limit in limits[: draw.int(0, 3)]]
    constants = [i for i in (2, 3, 4) if i < len(inputs) and inputs[i] is not None]
    given = {"center_point_box": draw.int(0, 1)}
    return Drawn("NonMaxSuppression", inputs, given, constants if draw.chance() else [])


def regions(draw: Draw, shape: list[int], count: int) -> Any:
    """Rows of x1, y1, x2, y2, some of them beyond the image."""
    first = draw.numbers.random([count, 2]) * [shape[3], shape[2]]
    return np.concatenate([first, first + draw.numbers.random([count, 2]) * 5], 1).astype("float32")


@draws("RoiAlign")
def roi_align(draw: Draw) -> Drawn:
    shape, count = [draw.int(1, 2), draw.int(1, 3), draw.int(2, 7), draw.int(2, 7)], draw.int(0, 4)
    x = draw.numbers.standard_normal(shape).astype("float32")
    images = draw.ints(0, shape[0] - 1, [count])
    given: dict[str, Any] = {"output_height": draw.int(1, 3), "output_width": draw.int(1, 3)}
    given |= {"sampling_ratio": draw.int(0, 2), "spatial_scale": draw.one(1.0, 0.5)}
    given["mode"] = draw.one("avg", "max")
    if draw.opset >= 16:
        given["coordinate_transformation_mode"] = draw.one("half_pixel", "output_half_pixel")
    return Drawn("RoiAlign", [x, regions(draw, shape, count), images], given, tolerance=10)


@draws("MaxRoiPool")
def max_roi_pool(draw: Draw) -> Drawn:
    shape, count = [draw.int(1, 2), draw.int(1, 3), draw.int(2, 7), draw.int(2, 7)], draw.int(1, 4)
    x = draw.numbers.standard_normal(shape).astype("float32")
    images = draw.ints(0, shape[0] - 1, [count, 1]).astype("float32")
    rois = np.concatenate([images, regions(draw, shape, count)], 1)
    given = {"pooled_shape": [draw.int(1, 3), draw.int(1, 3)], "spatial_scale": draw.one(1.0, 0.5)}
    return Drawn("MaxRoiPool", [x, rois], given)


@draws("MaxUnpool")
def max_unpool(draw: Draw) -> Drawn:
    axes = draw.int(1, 3)
    shape = [draw.int(1, 2), draw.int(1, 3), *(draw.int(1, 4) for _ in range(axes))]
    kernel, strides = ([draw.int(1, 3) for _ in range(axes)] for _ in range(2))
    sizes = [(n - 1) * s + k for n, s, k in zip(shape[2:], strides, kernel)]
    count = int(np.prod([*shape[:2], *sizes]))
    x = draw.numbers.standard_normal(shape).astype("float32")
    if count < x.size:
        strides, count = [3] * axes, int(np.prod(shape)) * 3**axes
        kernel = [3] * axes
    places = draw.numbers.permutation(count)[: x.size].reshape(shape)
    return Drawn("MaxUnpool", [x, places], {"kernel_shape": kernel, "strides": strides})


@draws("DeformConv")
def deform_conv(draw: Draw) -> Drawn:
    groups, parts = draw.one(1, 1, 2), draw.one(1, 1, 2)
    channels, filters = groups * parts * draw.int(1, 2), groups * draw.int(1, 2)
    kernel = [draw.int(1, 3), draw.int(1, 3)]
    strides, dilations = ([draw.int(1, 2) for _ in range(2)] for _ in range(2))
    pads, image = [draw.int(0, 1) for _ in range(4)], [draw.int(5, 7), draw.int(5, 7)]
    reaches = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    counts = [
        (n + pads[d] + pads[d + 2] - reaches[d]) // strides[d] + 1 for d, n in enumerate(image)
    ]
    batch, taps = draw.int(1, 2), kernel[0] * kernel[1]

    def numbers(*shape: int) -> Any:
        return draw.numbers.standard_normal(shape).astype("float32")

    inputs: list[Any] = [
        numbers(batch, channels, *image),
        numbers(filters, channels // groups, *kernel),
    ]
    inputs.append(numbers(batch, parts * 2 * taps, *counts))
    inputs.append(numbers(filters) if draw.chance() else None)
    inputs.append(numbers(batch, parts * taps, *counts) if draw.chance() else None)
    given = {"group": groups, "offset_group": parts, "strides": strides, "dilations": dilations}
    given |= {"pads": pads, "kernel_shape": kernel}
    return Drawn("DeformConv", inputs, given, tolerance=100, symbolic=False, by_reference=True)


@draws("TensorScatter")
def tensor_scatter(draw: Draw) -> Drawn:
    shape = [draw.int(1, 3), *(draw.int(1, 5) for _ in range(draw.int(1, 3)))]
    axis = draw.int(1, len(shape) - 1)
    part = [*shape]
    part[axis] = draw.int(1, shape[axis])
    cache, update = (draw.array("float32", s) for s in (shape, part))
    circular = draw.chance()
    starts = draw.ints(0, shape[axis] - 1 if circular else shape[axis] - part[axis], shape[:1])
    given = {"axis": axis - len(shape) if draw.chance() else axis}
    given["mode"] = "circular" if circular else "linear"
    inputs = [cache, update, starts] if circular or draw.chance(0.8) else [cache, update]
    return Drawn("TensorScatter", inputs, given, by_reference=True)
