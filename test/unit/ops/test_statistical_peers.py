"""Reductions, searching and sorting against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import package
from xdsl.ir import Operation

from relax_dialect.ops import cumulative, search, sorting, statistical

from .compiled import special
from .peers import agree

torch = package("torch")

X = np.random.default_rng(0).standard_normal((4, 5, 70)).astype(np.float32)
TIES = np.round(X)
SPECIAL = special(X.copy())
WHOLE = np.random.default_rng(1).integers(-9, 9, (4, 5, 70))

Made = Callable[[Any], Operation]

REDUCTIONS: dict[str, tuple[Made, Callable[[Any], Any]]] = {
    "sum": (lambda x: statistical.SumOp(x, [0, 2]), lambda x: x.sum((0, 2))),
    "prod": (lambda x: statistical.ProdOp(x, 0), lambda x: x.prod(0)),
    "max": (lambda x: statistical.MaxOp(x, [1, 2], True), lambda x: x.amax((1, 2), True)),
    "min": (lambda x: statistical.MinOp(x), lambda x: x.amin()),
    "mean": (lambda x: statistical.MeanOp(x, -1), lambda x: x.mean(-1)),
    "variance": (lambda x: statistical.VarianceOp(x, 2), lambda x: x.var(2, correction=0)),
    "std": (lambda x: statistical.StdOp(x, 1), lambda x: x.std(1, correction=0)),
    "count_nonzero": (
        lambda x: statistical.CountNonzeroOp(x, 2),
        lambda x: torch.count_nonzero(x, 2),
    ),
    "logsumexp": (lambda x: statistical.LogsumexpOp(x, 2), lambda x: x.logsumexp(2)),
    "reduce_l1": (lambda x: statistical.ReduceL1Op(x, 2), lambda x: x.norm(1, 2)),
    "reduce_l2": (lambda x: statistical.ReduceL2Op(x, 2), lambda x: x.norm(2, 2)),
    "median": (lambda x: statistical.MedianOp(x), lambda x: x.median()),
    "cumsum": (lambda x: cumulative.CumsumOp(x, 2), lambda x: x.cumsum(2)),
    "cumprod": (lambda x: cumulative.CumprodOp(x, 0), lambda x: x.cumprod(0)),
    "cummax": (lambda x: cumulative.CummaxOp(x, 2), lambda x: x.cummax(2)),
    "cummin": (lambda x: cumulative.CumminOp(x, 2), lambda x: x.cummin(2)),
    "logcumsumexp": (lambda x: cumulative.LogcumsumexpOp(x, 1), lambda x: x.logcumsumexp(1)),
    "argmax": (lambda x: search.ArgmaxOp(x, 2), lambda x: x.argmax(2)),
    "argmin": (lambda x: search.ArgminOp(x, 0, True), lambda x: x.argmin(0, True)),
    "nonzero": (lambda x: search.NonzeroOp(x), lambda x: x.nonzero().T),
    "sort": (lambda x: sorting.SortOp(x, 2, True), lambda x: x.sort(2, True).values),
    "argsort": (
        lambda x: sorting.ArgsortOp(x, 2, dtype="i64"),
        lambda x: x.argsort(dim=2, stable=True),
    ),
    "argsort_descending": (
        lambda x: sorting.ArgsortOp(x, 1, True, dtype="i64"),
        lambda x: x.argsort(dim=1, descending=True, stable=True),
    ),
    "topk": (lambda x: sorting.TopkOp(x, 3, 2, "values"), lambda x: x.topk(3, 2).values),
}


def arrays(found: Any) -> list[np.ndarray]:
    parts = found if isinstance(found, tuple) else (found,)
    return [part.contiguous().numpy() for part in parts]


@pytest.mark.parametrize("x", [X, TIES, SPECIAL], ids=["normal", "ties", "special"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_agrees_with_torch(name: str, x: np.ndarray):
    made, peer = REDUCTIONS[name]
    agree(made, [x], arrays(peer(torch.tensor(x))), compiled=x is SPECIAL)


def test_medians_along_an_axis():
    """Which of equal elements PyTorch takes is left open, so all differ here."""
    values, indices = arrays(torch.tensor(X).median(1))
    agree(lambda x: statistical.MedianOp(x, 1), [X], [values, indices], compiled=True)


@pytest.mark.parametrize("right", [True, False])
def test_bucketize(right: bool):
    boundaries = np.array([-1, 0, 0.5, 2], np.float32)
    values = np.concatenate([TIES.reshape(-1), [np.nan, np.inf]]).astype(np.float32)
    peer = torch.bucketize(torch.tensor(values), torch.tensor(boundaries), right=right)
    agree(
        lambda x, b: search.BucketizeOp(x, b, right=right),
        [values, boundaries],
        peer.numpy(),
        compiled=True,
    )


@pytest.mark.parametrize("right", [True, False])
def test_searchsorted(right: bool):
    rows = np.sort(WHOLE, axis=-1)
    values = WHOLE[..., :6].copy()
    peer = torch.searchsorted(torch.tensor(rows), torch.tensor(values), right=right)
    agree(lambda a, b: search.SearchsortedOp(a, b, right=right), [rows, values], peer.numpy())


@pytest.mark.parametrize("axis", [None, 0, 2])
def test_unique(axis: int | None):
    x = WHOLE[:, :2, ::30].copy()
    peer = torch.unique(torch.tensor(x), return_inverse=True, return_counts=True, dim=axis)
    values, inverse, counts = arrays(peer)
    agree(
        lambda x: search.UniqueOp(x, return_inverse=True, return_counts=True, axis=axis),
        [x],
        [values, inverse.reshape(-1), counts],
        compiled=axis == 0,
    )
