"""Convolutions against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.convolution import (
    Conv1dOp,
    Conv1dTransposeOp,
    Conv2dOp,
    Conv2dTransposeOp,
    Conv3dOp,
    Conv3dTransposeOp,
)

from .peers import agree

torch = package("torch")
functional = torch.nn.functional

FORWARD: list[tuple[Any, Any, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    (Conv1dOp, "conv1d", (2, 3, 11), (4, 3, 3), {}),
    (Conv1dOp, "conv1d", (1, 6, 9), (4, 3, 2), {"stride": 3, "padding": 1, "groups": 2}),
    (Conv2dOp, "conv2d", (2, 3, 8, 9), (5, 3, 3, 2), {"padding": (1, 2)}),
    (
        Conv2dOp,
        "conv2d",
        (1, 4, 9, 7),
        (6, 2, 3, 3),
        {"stride": (2, 1), "dilation": (1, 3), "groups": 2},
    ),
    (Conv2dOp, "conv2d", (2, 5, 6, 6), (10, 1, 3, 3), {"padding": 1, "stride": 2, "groups": 5}),
    (Conv2dOp, "conv2d", (1, 3, 17, 16), (4, 3, 7, 7), {"padding": 3, "stride": 2}),
    (
        Conv3dOp,
        "conv3d",
        (2, 2, 5, 6, 7),
        (3, 2, 2, 3, 1),
        {"padding": (0, 1, 1), "stride": (1, 2, 3)},
    ),
    (Conv3dOp, "conv3d", (1, 4, 5, 5, 5), (4, 1, 2, 2, 2), {"dilation": 2, "groups": 4}),
]
TRANSPOSED: list[tuple[Any, Any, tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    (
        Conv1dTransposeOp,
        "conv_transpose1d",
        (2, 3, 7),
        (3, 4, 3),
        {"stride": 2, "output_padding": 1},
    ),
    (Conv1dTransposeOp, "conv_transpose1d", (1, 4, 5), (4, 3, 4), {"padding": 2, "groups": 2}),
    (
        Conv2dTransposeOp,
        "conv_transpose2d",
        (2, 3, 5, 4),
        (3, 2, 3, 3),
        {"stride": 2, "padding": 1},
    ),
    (
        Conv2dTransposeOp,
        "conv_transpose2d",
        (1, 6, 4, 5),
        (6, 2, 2, 3),
        {"stride": (3, 1), "dilation": (1, 2), "output_padding": (2, 1), "groups": 3},
    ),
    (
        Conv3dTransposeOp,
        "conv_transpose3d",
        (1, 2, 3, 4, 3),
        (2, 2, 2, 1, 3),
        {"stride": (1, 2, 2), "padding": (1, 0, 1)},
    ),
]
NAMES = {"stride": "strides"}
"""Our names of PyTorch's arguments, where they differ."""


@pytest.mark.parametrize(("op", "peer", "x", "w", "how"), FORWARD + TRANSPOSED)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_agrees_with_torch(op: Any, peer: str, x: Any, w: Any, how: dict[str, Any], dtype: str):
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape).astype(dtype) for shape in (x, w)]
    expected = getattr(functional, peer)(*map(torch.tensor, arrays), **how).numpy()
    ours = {NAMES.get(name, name): value for name, value in how.items()}
    compiled = op in (Conv2dOp, Conv2dTransposeOp) and dtype == "float32"
    agree(lambda *a: op(*a, **ours), arrays, expected, compiled=compiled)


def test_channels_last_agrees_with_torch():
    random = np.random.default_rng(1)
    x = random.standard_normal((2, 7, 6, 4), np.float32)
    w = random.standard_normal((3, 2, 2, 6), np.float32)
    images = torch.tensor(x).permute(0, 3, 1, 2)
    filters = torch.tensor(w).permute(3, 2, 0, 1)
    expected = functional.conv2d(images, filters, stride=2, padding=1, groups=2)
    layouts = {"data_layout": "NHWC", "kernel_layout": "HWIO"}
    agree(
        lambda *a: Conv2dOp(*a, strides=2, padding=1, groups=2, **layouts),
        [x, w],
        expected.permute(0, 2, 3, 1).numpy(),
        compiled=True,
    )


def test_integers_agree_with_torch():
    random = np.random.default_rng(2)
    x = random.integers(-128, 128, (2, 3, 6, 5)).astype(np.int8)
    w = random.integers(-128, 128, (4, 3, 3, 3)).astype(np.int8)
    wide = (torch.tensor(a.astype(np.int32)) for a in (x, w))
    expected = functional.conv2d(*wide, padding=1).numpy()
    agree(lambda *a: Conv2dOp(*a, padding=1, out_dtype="i32"), [x, w], expected, compiled=True)
