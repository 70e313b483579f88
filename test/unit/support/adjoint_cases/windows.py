"""Convolutions, pools, images."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op

from .case import Case, case, fixed

CASES: dict[str, Case] = {}

CONVOLUTIONS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "1d": ("conv1d", (2, 3, 7), (4, 3, 3), {}),
    "1d_strided": ("conv1d", (2, 3, 8), (4, 3, 3), {"strides": 2, "padding": 1}),
    "2d": ("conv2d", (2, 3, 6, 5), (4, 3, 3, 2), {"padding": [1, 0]}),
    "2d_padded_unevenly": (
        "conv2d",
        (1, 2, 6, 7),
        (3, 2, 3, 3),
        {"strides": 3, "padding": [2, 0, 1, 2]},
    ),
    "2d_groups": ("conv2d", (2, 4, 6, 6), (6, 2, 3, 3), {"groups": 2, "dilation": 2, "strides": 2}),
    "2d_depthwise": (
        "conv2d",
        (1, 3, 5, 5),
        (3, 1, 3, 3),
        {"groups": 3, "padding": 1, "strides": 2},
    ),
    "2d_last": (
        "conv2d",
        (1, 5, 5, 2),
        (3, 3, 2, 4),
        {"data_layout": "NHWC", "kernel_layout": "HWIO", "padding": 1},
    ),
    "3d": ("conv3d", (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), {"padding": 1}),
    "1d_transpose": ("conv1d_transpose", (2, 3, 5), (3, 4, 3), {"strides": 2, "output_padding": 1}),
    "2d_transpose": (
        "conv2d_transpose",
        (1, 4, 4, 3),
        (4, 2, 3, 3),
        {"strides": 2, "padding": 1, "groups": 2, "output_padding": 1},
    ),
    "3d_transpose": ("conv3d_transpose", (1, 2, 2, 1, 2), (2, 1, 2, 1, 2), {"strides": 2}),
    "2d_transpose_dilated": ("conv2d_transpose", (1, 2, 4, 3), (2, 3, 2, 2), {"dilation": 2}),
}
for name, (called, image, kernel, how) in CONVOLUTIONS.items():
    CASES[f"conv_{name}"] = fixed(
        lambda x, w, f=called, h=how: getattr(op, f)(x, w, **h), image, kernel
    )
POOLS: dict[str, tuple[str, tuple[int, ...], dict[str, Any]]] = {
    "max_1d": ("max_pool1d", (2, 2, 5), {"pool_size": 2, "strides": 2, "ceil_mode": True}),
    "max_2d": ("max_pool2d", (1, 2, 5, 4), {"pool_size": 3, "strides": [2, 1], "padding": 1}),
    "max_2d_last": (
        "max_pool2d",
        (1, 4, 5, 2),
        {"pool_size": 2, "dilation": 2, "padding": 1, "layout": "NHWC"},
    ),
    "max_3d": ("max_pool3d", (1, 1, 3, 2, 3), {"pool_size": 2}),
    "avg_1d": ("avg_pool1d", (2, 2, 5), {"pool_size": 2, "strides": 2, "ceil_mode": True}),
    "avg_2d": ("avg_pool2d", (1, 2, 5, 4), {"pool_size": 3, "strides": 2, "padding": 1}),
    "avg_2d_tiles": ("avg_pool2d", (2, 1, 6, 4), {"pool_size": [3, 2], "strides": [3, 2]}),
    "avg_2d_counted": (
        "avg_pool2d",
        (1, 5, 4, 2),
        {"pool_size": 2, "padding": [1, 0, 0, 1], "count_include_pad": True, "layout": "NHWC"},
    ),
    "avg_3d": ("avg_pool3d", (1, 2, 3, 2, 4), {"pool_size": 2, "dilation": [1, 1, 2]}),
    "adaptive_max_1d": ("adaptive_max_pool1d", (1, 2, 5), {"output_size": 3}),
    "adaptive_max_2d": ("adaptive_max_pool2d", (2, 1, 5, 4), {"output_size": [2, 3]}),
    "adaptive_max_3d": ("adaptive_max_pool3d", (1, 2, 3, 2, 3), {"output_size": 2}),
    "adaptive_avg_1d": ("adaptive_avg_pool1d", (1, 2, 5), {"output_size": 3}),
    "adaptive_avg_2d": (
        "adaptive_avg_pool2d",
        (1, 5, 4, 2),
        {"output_size": [2, 3], "layout": "NHWC"},
    ),
    "adaptive_avg_2d_all": ("adaptive_avg_pool2d", (2, 3, 3, 2), {"output_size": 1}),
    "adaptive_avg_2d_same": ("adaptive_avg_pool2d", (2, 1, 3, 2), {"out_layout": "NHWC"}),
    "adaptive_avg_3d": ("adaptive_avg_pool3d", (1, 2, 3, 2, 3), {"output_size": 2}),
}
for name, (called, image, how) in POOLS.items():
    CASES[f"{name}_pool"] = fixed(lambda x, f=called, h=how: getattr(op, f)(x, **h), image)
    if name.startswith("max"):
        turned = {"column_major": True} if name == "max_2d" else {}
        CASES[f"{name}_pool_with_indices"] = fixed(
            lambda x, f=called, h={**how, **turned}: getattr(op, f"{f}_with_indices")(x, **h)[0],
            image,
        )
HALVES = {"pool_size": 2, "strides": 2}
for name in ("max_pool2d", "avg_pool2d"):
    CASES[f"{name}_backward"] = fixed(
        lambda g, x, f=f"{name}_backward": getattr(op, f)(g, x, **HALVES),
        *((1, 2, 2, 1), (1, 2, 4, 3)),
    )
for d, size in ((1, (5,)), (2, (3, 2)), (3, (2, 1, 3))):
    pool = f"avg_pool{d}d"
    CASES[f"{pool}_symbolic"] = case(
        lambda x, f=pool: getattr(op, f)(x, 2, 1, 1), (2, 3, *(s + 2 for s in size))
    )
RESIZES: dict[str, tuple[tuple[int, ...], list[int], dict[str, Any]]] = {
    "linear": ((1, 2, 5), [3], {}),
    "linear_antialias": ((2, 5, 4), [2], {"antialias": True, "layout": "NWC"}),
    "nearest": ((1, 1, 3, 2), [6, 4], {"method": "nearest_neighbor"}),
    "nearest_odd": ((1, 2, 3, 4), [5, 4], {"method": "nearest_neighbor"}),
    "cubic": (
        (1, 3, 4, 1),
        [4, 3],
        {"method": "cubic", "coordinate_transformation_mode": "align_corners", "layout": "NHWC"},
    ),
    "crop": (
        (1, 1, 4, 3),
        [3, 3],
        {
            "coordinate_transformation_mode": "tf_crop_and_resize",
            "roi": [0.2, -0.3, 0.9, 1.0],
            "extrapolation_value": 2.0,
        },
    ),
    "volume": ((1, 1, 2, 3, 2), [3, 3, 1], {}),
}
for name, (image, target, how) in RESIZES.items():
    CASES[f"resize_{name}"] = fixed(
        lambda x, t=target, h=how: getattr(op, f"resize{len(t)}d")(x, t, **h), image
    )
CASES["resize_scaled"] = fixed(
    lambda x: op.resize1d(
        *(x, [6], None, "NCW", "cubic", "half_pixel", "", -0.5, True, 0.0, None, np.array([1.6]))
    ),
    (1, 1, 4),
)
ROIS = np.array([[1, 0.6, 0.2, 4.3, 3.1], [0, 1.2, 1.7, 2.2, 2.9]])
CASES |= {
    "affine_grid": fixed(lambda x: op.affine_grid(x, [3, 4]), (2, 2, 3)),
    "affine_grid_volume": fixed(
        lambda x: op.affine_grid(x, [2, 1, 3], align_corners=False), (1, 3, 4)
    ),
    "roi_pool": fixed(lambda x: op.roi_pool(x, ROIS, 2, 0.9), (2, 2, 5, 6)),
    "grid_sample3d": fixed(op.grid_sample3d, (2, 1, 2, 1, 3), (2, 1, 2, 1, 3)),
    "grid_sample3d_nearest": fixed(
        lambda x, g: op.grid_sample3d(x, g, "nearest", padding_mode="border"),
        *((1, 2, 3, 2, 3), (1, 2, 1, 1, 3)),
    ),
}
for mode in ("avg", "max", "max_addend"):
    CASES[f"roi_align_{mode}"] = fixed(
        lambda x, r, m=mode: op.roi_align(
            x,
            op.concat([np.array([[1.0], [0.0]]), r * 2.0 + 1.5], axis=1),
            [2, 1],
            0.7,
            2,
            m == "avg",
            mode=m,
        ),
        *((2, 2, 5, 4), (2, 4)),
    )
for method, padding in (
    *(("bilinear", padding) for padding in ("zeros", "border", "reflection")),
    *(("nearest", "zeros"), ("bicubic", "reflection")),
):
    CASES[f"grid_sample_{method}_{padding}"] = fixed(
        lambda x, g, m=method, p=padding: op.grid_sample(
            x, g, m, padding_mode=p, align_corners=p == "border"
        ),
        *((2, 1, 2, 3), (2, 1, 1, 2)),
    )
