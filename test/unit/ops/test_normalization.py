"""Normalizations, as compiled C, against their definitions in numpy's f64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.normalization import (
    OPS,
    BatchNormOp,
    DropoutOp,
    GroupNormOp,
    InstanceNormOp,
    LayerNormOp,
    LocalResponseNormOp,
    RmsNormOp,
)

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, keep, tensor
from .stopping import both_stop

SIZES: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 3},
    {"n": 1, "m": 1, "k": 1},
    {"n": 0, "m": 3, "k": 2},
    {"n": 3, "m": 17, "k": 1},
)


def in_double(meaning: Callable) -> Callable:
    """A function computed in f64, its results in the element type of the first argument."""

    def rounded(*arrays: np.ndarray) -> Any:
        results = meaning(*(array.astype("d") for array in arrays))
        if isinstance(results, tuple):
            return tuple(result.astype(arrays[0].dtype) for result in results)
        return results.astype(arrays[0].dtype)

    return rounded


def shifted(x: np.ndarray) -> np.ndarray:
    """Numbers far from 0: the mean of their squares says little about the variance."""
    return x + x.dtype.type(30)


def positive(x: np.ndarray) -> np.ndarray:
    return np.abs(x) + x.dtype.type(0.5)


def layer(*axes: int, epsilon: float = 1e-5) -> Callable:
    """Each sample by itself, in a loop over the other axes; gamma has the sizes of `axes` in order."""

    def meaning(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
        front = np.moveaxis(x, axes, range(-len(axes), 0))
        y = np.empty_like(front)
        for sample in np.ndindex(*front.shape[: -len(axes)]):
            row = front[sample]
            centered = row - row.sum() / np.float64(row.size)
            scaled = centered / np.sqrt((centered**2).sum() / np.float64(row.size) + epsilon)
            y[sample] = gamma * scaled + beta
        return np.moveaxis(y, range(-len(axes), 0), axes)

    return meaning


def groups(count: int, channel: int) -> Callable:
    """Each group of channels of each sample by itself; all axes but the first are normalized."""

    def meaning(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> np.ndarray:
        front = np.moveaxis(x, channel, 1)
        y = np.empty_like(front)
        for n in range(len(front)):
            for part in np.split(np.arange(front.shape[1]), count):
                found = front[n, part]
                y[n, part] = (found - found.mean()) / np.sqrt(found.var() + 1e-5)
        flat = y.swapaxes(1, -1) * gamma + beta
        return np.moveaxis(flat.swapaxes(1, -1), 1, channel)

    return meaning


def batch(axis: int, training: bool, momentum: float = 0.1, epsilon: float = 1e-5) -> Callable:
    def meaning(
        x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, mean: np.ndarray, var: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        channels = np.moveaxis(x, axis, 0)
        rows = channels.reshape(len(channels), int(np.prod(channels.shape[1:])))
        own = (mean, var)
        if training:
            count = np.float64(rows.shape[1])
            own = rows.sum(1) / count, ((rows.T - rows.sum(1) / count).T ** 2).sum(1) / count
        scaled = (rows.T - own[0]) / np.sqrt(own[1] + epsilon) * gamma + beta
        y = np.moveaxis(scaled.T.reshape(channels.shape), 0, axis)
        if not training:
            return y, mean, var
        return y, *(a + momentum * (b - a) for a, b in zip((mean, var), own))

    return meaning


def rms(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    count = np.float64(x.shape[-1])
    norms = np.linalg.norm(x, axis=-1, keepdims=True)
    return x * weight / np.sqrt(norms**2 / count + 1e-5)


def response(size: int, alpha: float, beta: float, k: float) -> Callable:
    def meaning(x: np.ndarray) -> np.ndarray:
        y = np.empty_like(x)
        for c in range(x.shape[1]):
            around = x[:, max(c - size // 2, 0) : c - size // 2 + size]
            y[:, c] = x[:, c] / (k + alpha * (around**2).sum(1) / size) ** beta
        return y

    return meaning


def case(op: Callable, meaning: Callable, *types: Any, sizes: Any = SIZES, **more: Any) -> Case:
    return Case(op, types, in_double(meaning), sizes, **{"tolerance": 1e-4, **more})


def batch_case(
    axis: int, training: bool, x: Any, size: Any, dtype: str = "f32", **how: Any
) -> Case:
    more = {key: how.pop(key) for key in ("tolerance", "sizes") if key in how}
    channel = tensor(size, dtype=dtype)
    return case(
        lambda *operands: BatchNormOp(*operands, axis=axis, training=training, **how),
        batch(axis, training, **how),
        x,
        *[channel] * 4,
        values=[shifted, keep, keep, keep, positive],
        **more,
    )


image, cube = tensor("n", "m", "k", 4), tensor("n", "m", "k")
last, middle = tensor("k"), tensor("m")
half = {"dtype": "f16"}

CASES: dict[str, Case] = {
    "batch_norm": batch_case(1, True, image, "m"),
    "batch_norm_last": batch_case(-1, True, cube, "k", momentum=0.25, epsilon=0.01),
    "batch_norm_inference": batch_case(1, False, image, "m"),
    "batch_norm_inference_last": batch_case(2, False, cube, "k", epsilon=0.5),
    "batch_norm_f16": batch_case(
        1, True, tensor("n", "m", 4, **half), "m", dtype="f16", tolerance=5e-3
    ),
    "batch_norm_f64": batch_case(
        0, True, tensor("m", "k", dtype="f64"), "m", dtype="f64", tolerance=1e-11
    ),
    "batch_norm_static": batch_case(1, True, tensor(2, 3, 5, 5), 3, sizes=STATIC),
    "batch_norm_known_statistics": case(
        BatchNormOp,
        batch(1, True),
        tensor("n", "m", 2),
        *[tensor("k"), tensor(5), tensor("m"), tensor("b")],
        values=[shifted, keep, keep, keep, positive],
        sizes=[{"n": 7, "m": 5, "k": 5, "b": 5}],
    ),
    "batch_norm_plain": case(
        lambda *a: BatchNormOp(*a, center=False, scale=False),
        lambda x, gamma, beta, *moving: batch(1, True)(x, 1, 0, *moving),
        image,
        *[middle] * 4,
        values=[keep, keep, keep, keep, positive],
    ),
    "layer_norm": case(
        lambda *a: LayerNormOp(*a, axes=-1),
        layer(2),
        cube,
        last,
        last,
        values=[shifted, keep, keep],
    ),
    "layer_norm_two": case(
        lambda *a: LayerNormOp(*a, axes=[1, 2], epsilon=0.1),
        layer(1, 2, epsilon=0.1),
        cube,
        tensor("m", "k"),
        tensor("m", "k"),
    ),
    "layer_norm_turned": case(
        lambda *a: LayerNormOp(*a, axes=[2, 0]),
        layer(2, 0),
        cube,
        tensor("k", "n"),
        tensor("k", "n"),
    ),
    "layer_norm_scale": case(
        lambda *a: LayerNormOp(*a, axes=-1, center=False),
        lambda x, gamma, beta: layer(2)(x, gamma, 0),
        cube,
        last,
        last,
    ),
    "layer_norm_f16": case(
        lambda *a: LayerNormOp(*a, axes=-1),
        layer(1),
        tensor("n", "m", **half),
        tensor("m", **half),
        tensor("m", **half),
        values=[shifted, keep, keep],
        tolerance=5e-3,
    ),
    "instance_norm": case(
        lambda *a: InstanceNormOp(*a, channel_axis=1, axes=[2, 3]),
        lambda x, gamma, beta: (
            layer(2, 3)(x, np.ones(x.shape[2:]), np.zeros(x.shape[2:])) * gamma[:, None, None]
            + beta[:, None, None]
        ),
        image,
        middle,
        middle,
    ),
    "instance_norm_last": case(
        lambda *a: InstanceNormOp(*a, channel_axis=-1, axes=[1]),
        lambda x, gamma, beta: (
            layer(1)(x, np.ones(x.shape[1]), np.zeros(x.shape[1])) * gamma + beta
        ),
        cube,
        last,
        last,
    ),
    "group_norm": case(
        lambda *a: GroupNormOp(*a, num_groups=3, channel_axis=1, axes=[2, 3]),
        groups(3, 1),
        tensor("n", 6, "m", "k"),
        tensor(6),
        tensor(6),
        values=[shifted, keep, keep],
    ),
    "group_norm_symbolic": case(
        lambda *a: GroupNormOp(*a, num_groups=2, channel_axis=-1, axes=[1]),
        groups(2, 2),
        tensor("n", "k", "m"),
        middle,
        middle,
        sizes=[{"n": 3, "k": 5, "m": 8}, {"n": 1, "k": 1, "m": 2}],
    ),
    "layer_norm_unproved": case(
        lambda *a: LayerNormOp(*a, axes=-1),
        layer(1),
        tensor("n", "m"),
        last,
        last,
        sizes=[{"n": 2, "m": 5, "k": 5}],
    ),
    "rms_norm": case(lambda *a: RmsNormOp(*a), rms, cube, last),
    "rms_norm_f16": case(
        lambda *a: RmsNormOp(*a),
        rms,
        tensor("n", "m", **half),
        tensor("m", **half),
        values=[shifted, keep],
        tolerance=5e-3,
    ),
    "rms_norm_two": case(
        lambda *a: RmsNormOp(*a, axes=[1, 2]),
        lambda x, w: rms(x.reshape(len(x), -1), w.reshape(-1)).reshape(x.shape),
        tensor("m", "k", 3),
        tensor("k", 3),
    ),
    "local_response_norm": case(
        lambda x: LocalResponseNormOp(x, 3), response(3, 1e-4, 0.75, 1.0), image
    ),
    "local_response_norm_even": case(
        lambda x: LocalResponseNormOp(x, 4, alpha=0.5, beta=0.5, k=2.0),
        response(4, 0.5, 0.5, 2.0),
        tensor("n", "m"),
    ),
    "dropout": case(lambda x: DropoutOp(x, 0.3), lambda x: (x, x * 0 + 1), cube),
    "dropout_i32": case(DropoutOp, lambda x: (x, x * 0 + 1), tensor("n", "m", dtype="i32")),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_parameters_of_another_size_are_an_error(model: CompiledModule):
    message = "relax.layer_norm: expected 'gamma' to have the sizes of x along axes [1] (C3)"
    both_stop(model, CASES, "layer_norm_unproved", (2, 5), (4,), (4,), message=message)


def test_groups_that_do_not_divide_are_an_error(model: CompiledModule):
    message = "relax.group_norm: expected 2 groups to divide the channels of x (C5); correct"
    both_stop(model, CASES, "group_norm_symbolic", (2, 5, 3), (3,), (3,), message=message)
