"""Operators on images against PyTorch."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.image import AffineGridOp, GridSampleOp, Resize1dOp, Resize2dOp, Resize3dOp

from .peers import agree

torch = package("torch")
functional = torch.nn.functional


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def pt(array: np.ndarray) -> Any:
    return torch.from_numpy(array.copy())


@pytest.mark.parametrize("size", [(9, 13), (2, 4), (7, 1), (5, 7)])
@pytest.mark.parametrize("method", ["linear", "cubic"])
@pytest.mark.parametrize("aligned", [False, True])
def test_resize2d_agrees_with_torch(size: tuple[int, int], method: str, aligned: bool):
    x = random(2, 3, 5, 7)
    mode = "align_corners" if aligned else "half_pixel"
    expected = functional.interpolate(pt(x), size, mode=f"bi{method}", align_corners=aligned)
    agree(
        lambda x: Resize2dOp(x, size, None, None, method, mode),
        [x],
        expected.numpy(),
        compiled=size == (9, 13),
    )


RANKED: list[tuple[Any, tuple[int, ...], tuple[int, ...], str]] = [
    (Resize1dOp, (2, 3, 8), (20,), "linear"),
    (Resize2dOp, (2, 3, 8, 4), (4, 10), "bilinear"),
    (Resize3dOp, (1, 2, 4, 8, 4), (6, 4, 8), "trilinear"),
]


@pytest.mark.parametrize(("op", "shape", "size", "name"), RANKED)
def test_resize_of_all_ranks_agrees_with_torch(op: Any, shape: Any, size: Any, name: str):
    x = random(*shape)
    linear = functional.interpolate(pt(x), size, mode=name).numpy()
    agree(lambda x: op(x, size), [x], linear, compiled=True)
    nearest = functional.interpolate(pt(x), size, mode="nearest").numpy()
    floor = lambda x: op(x, size, None, None, "nearest_neighbor", "asymmetric", "floor")  # noqa: E731
    agree(floor, [x], nearest, compiled=True)
    exact = functional.interpolate(pt(x), size, mode="nearest-exact").numpy()
    half = lambda x: op(x, size, None, None, "nearest_neighbor", "half_pixel", "round")  # noqa: E731
    agree(half, [x], exact)


@pytest.mark.parametrize(
    ("method", "padding", "aligned"),
    [
        *product(
            ("nearest", "bilinear", "bicubic"), ("zeros", "border", "reflection"), (False, True)
        )
    ],
)
def test_grid_sample_agrees_with_torch(method: str, padding: str, aligned: bool):
    x, grid = random(2, 3, 5, 7), 1.5 * random(2, 4, 6, 2)
    expected = functional.grid_sample(
        pt(x), pt(grid), mode=method, padding_mode=padding, align_corners=aligned
    )
    agree(
        lambda x, grid: GridSampleOp(x, grid, method, None, padding, aligned),
        [x, grid],
        expected.numpy(),
        compiled=method == "bilinear",
    )


@pytest.mark.filterwarnings("ignore:Since version 1.3.0")
@pytest.mark.parametrize("size", [(4, 5), (1, 3), (2, 3, 4)])
@pytest.mark.parametrize("aligned", [False, True])
def test_affine_grid_agrees_with_torch(size: tuple[int, ...], aligned: bool):
    """PyTorch has the coordinates in the last dimension."""
    theta = random(2, len(size), len(size) + 1)
    shape = [2, 1, *size]
    expected = functional.affine_grid(pt(theta), shape, align_corners=aligned).movedim(-1, 1)
    agree(
        lambda d: AffineGridOp(d, size, aligned), [theta], expected.numpy().copy(), compiled=aligned
    )
