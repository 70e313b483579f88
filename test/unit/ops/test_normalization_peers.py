"""Normalizations against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.normalization import (
    BatchNormOp,
    GroupNormOp,
    InstanceNormOp,
    LayerNormOp,
    LocalResponseNormOp,
    RmsNormOp,
)

from .peers import agree

torch = package("torch")
functional = torch.nn.functional

TOLERANCE = {"float16": 5e-3, "float32": 1e-4, "float64": 1e-10}


def normal(seed: int, *shape: int, dtype: str = "float32") -> np.ndarray:
    return np.asarray(np.random.default_rng(seed).standard_normal(shape) + 3).astype(dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axes", [1, 2])
def test_layer_norm_agrees_with_torch(axes: int, dtype: str):
    x = normal(0, 4, 3, 7, dtype=dtype)
    gamma, beta = (normal(seed, *x.shape[-axes:], dtype=dtype) for seed in (1, 2))
    x_torch, *affine = map(torch.tensor, (x, gamma, beta))
    expected = functional.layer_norm(x_torch, gamma.shape, *affine, 1e-3).numpy()
    agree(
        lambda *a: LayerNormOp(*a, axes=range(-axes, 0), epsilon=1e-3),
        [x, gamma, beta],
        expected,
        compiled=True,
        tolerance=TOLERANCE[dtype],
    )


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 4, 5)])
def test_batch_norm_agrees_with_torch(shape: Any, training: bool):
    """PyTorch's moving variance takes in that of a sample, ours that of all elements: n - 1 by n."""
    x, gamma, beta, mean, var = normal(0, *shape), *(normal(seed, 3) for seed in range(1, 5))
    moving = [torch.tensor(mean), torch.tensor(var)]
    affine = [torch.tensor(gamma), torch.tensor(beta)]
    y = functional.batch_norm(torch.tensor(x), *moving, *affine, training, 0.2, 1e-3)
    new_mean, new_var = (statistic.numpy() for statistic in moving)
    if training:
        count = x.size // 3
        new_var = 0.8 * var + (new_var - 0.8 * var) * np.float32((count - 1) / count)
    agree(
        lambda *a: BatchNormOp(*a, epsilon=1e-3, momentum=0.2, training=training),
        [x, gamma, beta, mean, var],
        [y.numpy(), new_mean, new_var],
        compiled=len(shape) == 4,
    )


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_group_norm_agrees_with_torch(groups: int):
    x, gamma, beta = normal(0, 2, 6, 4, 5), normal(1, 6), normal(2, 6)
    expected = functional.group_norm(torch.tensor(x), groups, *map(torch.tensor, (gamma, beta)))
    agree(
        lambda *a: GroupNormOp(*a, num_groups=groups, channel_axis=1, axes=[2, 3]),
        [x, gamma, beta],
        expected.numpy(),
        compiled=groups == 2,
    )


def test_instance_norm_agrees_with_torch():
    x, gamma, beta = normal(0, 2, 3, 4, 5), normal(1, 3), normal(2, 3)
    affine = {"weight": torch.tensor(gamma), "bias": torch.tensor(beta)}
    expected = functional.instance_norm(torch.tensor(x), **affine).numpy()
    operator = InstanceNormOp
    agree(lambda *a: operator(*a, channel_axis=1, axes=[2, 3]), [x, gamma, beta], expected)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_rms_norm_agrees_with_torch(dtype: str):
    x, weight = normal(0, 4, 9, dtype=dtype), normal(1, 9, dtype=dtype)
    expected = functional.rms_norm(torch.tensor(x), (9,), torch.tensor(weight), 1e-3).numpy()
    agree(
        lambda *a: RmsNormOp(*a, epsilon=1e-3),
        [x, weight],
        expected,
        compiled=True,
        tolerance=TOLERANCE[dtype],
    )


@pytest.mark.parametrize("size", [1, 4, 5])
def test_local_response_norm_agrees_with_torch(size: int):
    x = normal(0, 2, 7, 3, 4)
    expected = functional.local_response_norm(torch.tensor(x), size, 0.3, 0.6, 1.5).numpy()
    operator = LocalResponseNormOp
    agree(lambda a: operator(a, size, 0.3, 0.6, 1.5), [x], expected, compiled=size == 4)
