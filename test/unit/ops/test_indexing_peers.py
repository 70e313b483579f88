"""Operators on indices against PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.indexing import GatherElementsOp, IndexTensorOp, TakeOp
from relax_dialect.ops.scattering import IndexPutOp, ScatterElementsOp
from relax_dialect.ops.slicing import SliceScatterOp, StridedSliceOp

from .peers import agree

torch = package("torch")


def random(*shape: int, dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def indices(size: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(-size, size, shape)


def pt(array: np.ndarray) -> Any:
    return torch.from_numpy(array.copy())


def test_take_agrees_with_torch():
    x, i = random(4, 7, 3), indices(7, 5)
    expected = torch.index_select(pt(x), 1, pt(i % 7)).numpy()
    agree(lambda x, i: TakeOp(x, i, 1), [x, i], expected, compiled=True)


@pytest.mark.parametrize("axis", [0, -1])
def test_gather_elements_agrees_with_torch(axis: int):
    x, i = random(4, 7, 3), indices(3, 2, 5, 3)
    expected = torch.gather(pt(x), axis, pt(i % x.shape[axis])).numpy()
    agree(lambda x, i: GatherElementsOp(x, i, axis), [x, i], expected, compiled=True)


def test_index_tensor_agrees_with_torch():
    x, i, j = random(4, 7, 3), indices(4, 5, 1), indices(7, 2)
    expected = pt(x)[pt(i), pt(j)].numpy()
    agree(lambda x, i, j: IndexTensorOp(x, [i, j]), [x, i, j], expected, compiled=True)


REDUCE = {"add": "sum", "mul": "prod", "mean": "mean", "max": "amax", "min": "amin"}
"""PyTorch's names of the reductions."""


@pytest.mark.parametrize("reduction", REDUCE)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_scatter_elements_agrees_with_torch(reduction: str, dtype: str):
    x, u, i = random(4, 5), random(9, 5), indices(4, 9, 5)
    x, u = (np.round(3 * a).astype(dtype) if dtype == "int64" else a.astype(dtype) for a in (x, u))
    expected = pt(x).scatter_reduce(0, pt(i % 4), pt(u), REDUCE[reduction]).numpy()
    agree(
        lambda x, i, u: ScatterElementsOp(x, i, u, 0, reduction),
        [x, i, u],
        expected,
        compiled=dtype == "int64",
    )


def test_scatter_elements_replaces_as_torch():
    x, u = random(4, 5), random(4, 3)
    i = np.array([[0, 4, 2]] * 4)
    expected = pt(x).scatter(1, pt(i), pt(u)).numpy()
    agree(lambda x, i, u: ScatterElementsOp(x, i, u, 1), [x, i, u], expected, compiled=True)


@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put_agrees_with_torch(accumulate: bool):
    x, v = random(4, 7, 3), random(2, 1)
    i, j = np.array([[0], [3]]), np.array([1, 6])
    if accumulate:
        i = np.array([[3], [3]])
    expected = pt(x).index_put((pt(i), pt(j)), pt(v)[..., None], accumulate=accumulate).numpy()
    agree(
        lambda x, i, j, v: IndexPutOp(x, [i, j], v, accumulate),
        [x, i, j, v[..., None]],
        expected,
        compiled=True,
    )


@pytest.mark.parametrize("bounds", [(1, 6, 2), (-5, -1, 1), (0, 100, 3)])
def test_slices_agree_with_torch(bounds: tuple[int, int, int]):
    x, (start, end, step) = random(3, 7), bounds
    expected = pt(x)[:, slice(*bounds)]
    agree(lambda x: StridedSliceOp(x, [1], [start], [end], [step]), [x], expected.numpy())
    src = random(*expected.shape)
    scattered = torch.slice_scatter(pt(x), pt(src), 1, start, end, step).numpy()
    agree(lambda x, s: SliceScatterOp(x, s, start, end, step, 1), [x, src], scattered)
