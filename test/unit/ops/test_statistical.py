"""Reductions, as compiled C, against numpy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lowering.runtime import CompiledModule
from relax_dialect.ops.statistical import OPS, MaxOp, MeanOp, SumOp

from .compiled import STATIC, Case, Sizes, check, compile_cases, over, special, tensor

FORMS: dict[str, tuple[Any, bool]] = {
    "all": (None, False),
    "all_kept": (None, True),
    "first": (0, False),
    "last": (-1, False),
    "middle_kept": (-2, True),
    "two": ((0, 2), False),
    "two_kept": ((2, 0), True),
    "none": ((), False),
}


def least(dtype: np.dtype) -> Any:
    """The maximum over no elements."""
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def np_sum(x: np.ndarray, **how: Any) -> np.ndarray:
    return x.sum(dtype=x.dtype, **how)


def np_max(x: np.ndarray, **how: Any) -> np.ndarray:
    return x.max(initial=least(x.dtype), **how)


def np_mean(x: np.ndarray, **how: Any) -> np.ndarray:
    with warnings.catch_warnings(action="ignore"):
        return np.asarray(x.mean(**how))


MEANINGS = {SumOp: np_sum, MaxOp: np_max, MeanOp: np_mean}


def case(op: Any, meaning: Callable, axis: Any, kept: bool, type: Any, **more: Any) -> Case:
    def numpy(x: np.ndarray) -> np.ndarray:
        return meaning(x, axis=axis, keepdims=kept)

    return Case(lambda x: op(x, axis, kept), [type], numpy, **more)


CASES: dict[str, Case] = {}
for op, meaning in MEANINGS.items():
    name = op.name.removeprefix("relax.")
    for form, (axis, kept) in FORMS.items():
        CASES[f"{name}_{form}"] = case(op, meaning, axis, kept, tensor("n", "m", "k"))
    CASES[f"{name}_static"] = case(op, meaning, 1, False, tensor(4, 33), sizes=STATIC)
    CASES[f"{name}_scalar"] = case(op, meaning, None, False, tensor(), sizes=STATIC)
    CASES[f"{name}_nan"] = case(op, meaning, 1, False, tensor("n", "m"), values=special)
    for dtype in ("f64",) if op is MeanOp else ("f64", "i8", "i32", "i64"):
        CASES[f"{name}_{dtype}"] = case(op, meaning, 1, False, tensor("n", "m", dtype=dtype))


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert set(MEANINGS) == set(OPS)


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, sizes)


def test_integers_wrap_around(model: CompiledModule):
    x = np.array([[127, 1, 0], [-128, -1, 5]], np.int8)
    np.testing.assert_array_equal(model.sum_i8(x), np.array([-128, -124], np.int8))


def test_the_maximum_of_the_least_values(model: CompiledModule):
    low = np.full((1, 3), -np.inf, np.float32)
    assert model.max_nan(low).tolist() == [-np.inf]
    assert model.max_i64(np.full((1, 3), -(2**63))).tolist() == [-(2**63)]


def test_a_long_sum_stays_near_the_exact_one(model: CompiledModule):
    x = np.random.default_rng(0).random((1, 100_003)).astype(np.float32)
    np.testing.assert_allclose(model.sum_nan(x), x.sum(axis=1, dtype="d"), rtol=1e-3)
