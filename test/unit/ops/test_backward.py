"""Gradients of operators, as compiled C, against sums over the places that the operators read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops.backward import (
    OPS,
    AvgPool2dBackwardOp,
    MaxPool2dBackwardOp,
    NllLossBackwardOp,
    NoGradOp,
    TakeBackwardOp,
)

from .compiled import FEW, Case, Sizes, call, check, compile_cases, each_case, tensor
from .inputs import refused, x
from .test_pooling import max_pool_with_indices, windows

IMAGES: Sequence[Sizes] = (
    {"n": 2, "c": 3, "h": 6, "w": 7},
    {"n": 1, "c": 1, "h": 3, "w": 3},
    {"n": 0, "c": 2, "h": 4, "w": 5},
)


def max_pool(gy: np.ndarray, data: np.ndarray, **how: Any) -> np.ndarray:
    _, numbers = max_pool_with_indices(data, **how)
    found = np.zeros(data.size)
    np.add.at(found, numbers, gy.astype("d"))
    return found.reshape(data.shape).astype(data.dtype)


def avg_pool(
    gy: np.ndarray,
    data: np.ndarray,
    *,
    count_include_pad: bool = False,
    pool_size: int = 1,
    strides: int = 1,
    padding: int = 0,
    ceil_mode: bool = False,
) -> np.ndarray:
    numbers = np.arange(data.size).reshape(data.shape)
    counts, seen = windows(numbers, pool_size, strides, padding, 1, ceil_mode)
    found = np.zeros(data.size)
    for place in np.ndindex(*counts):
        places = seen(place)
        count = pool_size**2 if count_include_pad else places.shape[-1]
        np.add.at(found, places, gy[(..., *place)][..., None].astype("d") / max(count, 1))
    return found.reshape(data.shape).astype(data.dtype)


def channels_last(meaning: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def moved(gy: np.ndarray, data: np.ndarray, **how: Any) -> np.ndarray:
        return np.moveaxis(meaning(*(np.moveaxis(a, -1, 1) for a in (gy, data)), **how), 1, -1)

    return moved


def pool(
    op: Any,
    meaning: Any,
    *shapes: Any,
    dtype: str = "f32",
    layout: str = "NCHW",
    sizes: Sequence[Sizes] = IMAGES,
    **how: Any,
) -> Case:
    if layout == "NHWC":
        meaning = channels_last(meaning)
    types = [tensor(*shape, dtype=dtype) for shape in shapes]
    return Case(
        lambda g, x: op(g, x, layout=layout, **how),
        types,
        lambda g, x: meaning(g, x, **how),
        sizes,
    )


def take(gy: np.ndarray, data: np.ndarray, indices: np.ndarray, axis: int = 0) -> np.ndarray:
    found = np.zeros(data.shape)
    for place in np.ndindex(*gy.shape):
        read = place[axis : axis + indices.ndim]
        found[(*place[:axis], indices[read], *place[axis + indices.ndim :])] += gy[place]
    return found.astype(data.dtype)


def nll_loss(
    gy: np.ndarray,
    p: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray | None = None,
    reduction: str = "mean",
) -> np.ndarray:
    found, total = np.zeros(p.shape), 0.0
    for place in np.ndindex(*targets.shape):
        target = targets[place]
        if target != 1:
            weight = 1.0 if weights is None else weights[target]
            cotangent = gy[place if reduction == "none" else ()]
            found[(*place[:1], target, *place[1:])] = -weight * cotangent
            total += weight
    return (found / total if reduction == "mean" else found).astype(p.dtype)


def classes(x: np.ndarray) -> np.ndarray:
    return x % 3 if x.dtype.kind in "iu" else np.abs(x) + 0.5


IMAGE, HALF = ("n", "c", "h", "w"), ("n", "c", "h floordiv 2", "w floordiv 2")
ROUND = ("n", "c", "(h + 1) floordiv 2", "(w + 1) floordiv 2")
CASES: dict[str, Case] = {
    "no_grad": Case(NoGradOp, [tensor("n", "m")], np.copy),
    "max_halves": pool(MaxPool2dBackwardOp, max_pool, HALF, IMAGE, pool_size=2, strides=2),
    "max_unproved": pool(
        MaxPool2dBackwardOp, max_pool, ("n", "c", "a", "b"), IMAGE,
        sizes=[{"n": 1, "c": 2, "h": 4, "w": 6, "a": 2, "b": 3}], pool_size=2, strides=2,
    ),
    "max_overlapping": pool(MaxPool2dBackwardOp, max_pool, IMAGE, IMAGE, pool_size=3, padding=1),
    "max_nhwc_f16": pool(
        MaxPool2dBackwardOp, max_pool, ("n", "h", "w", "c"), ("n", "h", "w", "c"),
        pool_size=3, padding=1, layout="NHWC", dtype="f16",
    ),
    "avg_halves": pool(AvgPool2dBackwardOp, avg_pool, HALF, IMAGE, pool_size=2, strides=2),
    "avg_ceil": pool(
        AvgPool2dBackwardOp, avg_pool, ROUND, IMAGE,
        pool_size=3, strides=2, padding=1,
    ),
    "avg_nhwc_f64": pool(
        AvgPool2dBackwardOp, avg_pool, ("n", "h", "w", "c"), ("n", "h", "w", "c"),
        pool_size=3, padding=1, count_include_pad=True, layout="NHWC", dtype="f64",
    ),
    "take": Case(
        lambda g, x, i: TakeBackwardOp(g, x, i, 0),
        [tensor("k", "m"), tensor(3, "m"), tensor("k", dtype="i64")],
        take, values=classes,
    ),
    "take_inner": Case(
        lambda g, x, i: TakeBackwardOp(g, x, i, -1),
        [tensor("n", 2, "k", dtype="f16"), tensor("n", 4, dtype="f16"), tensor(2, "k", dtype="i32")],
        lambda g, x, i: take(g, x, i, 1), FEW, values=classes,
    ),
    "nll_mean": Case(
        lambda g, p, t, w: NllLossBackwardOp(g, p, t, w, ignore_index=1),
        [tensor(), tensor("n", 3), tensor("n", dtype="i64"), tensor(3)],
        nll_loss, FEW[:1], values=classes,
    ),
    "nll_none": Case(
        lambda g, p, t: NllLossBackwardOp(g, p, t, reduction="none", ignore_index=1),
        [tensor("n", "m"), tensor("n", 3, "m"), tensor("n", "m", dtype="i32")],
        lambda g, p, t: nll_loss(g, p, t, reduction="none"), FEW, values=classes,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_backward_C1():
    image = ("n", "c", "h", "w")
    refused("C1", lambda: MaxPool2dBackwardOp(x(1, 2, 3, 3), x(1, 2, 3, 3), 2))
    refused("C1", lambda: AvgPool2dBackwardOp(x("n"), x(*image), 2))
    refused("C1", lambda: TakeBackwardOp(x(2, dtype="f16"), x("n"), x(2, dtype="i64")))
    refused("C1", lambda: NllLossBackwardOp(x(3), x("n", 3), x("n", dtype="i64")))
    refused("C1", lambda: MaxPool2dBackwardOp(x(*image, dtype="i32"), x(*image, dtype="i32"), 1))


def test_a_cotangent_of_another_shape_is_an_error(model: CompiledModule):
    given = np.zeros((1, 1, 2, 2), np.float32), np.zeros((1, 1, 4, 6), np.float32)
    told = r"max_pool2d_backward.*expected an output_grad of the shape of the result \(C1\), found 2 for 3"
    module = ModuleOp([CASES["max_unproved"].function("f")])
    for attempt in (lambda: call(model, "max_unproved", *given), lambda: run(module, "f", *given)):
        with pytest.raises(RelaxError, match=told):
            attempt()
