"""Elementwise operators on one tensor, as compiled C, against numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lowering.runtime import CompiledModule
from relax_dialect.ops.unary import (
    OPS,
    ErfOp,
    ExpOp,
    NegativeOp,
    RsqrtOp,
    SigmoidOp,
    SqrtOp,
    TanhOp,
)

from .compiled import STATIC, Case, Sizes, check, compile_cases, over, special, tensor

ERF = np.vectorize(math.erf, otypes=["d"])

MEANINGS = {
    NegativeOp: np.negative,
    ExpOp: np.exp,
    SqrtOp: np.sqrt,
    RsqrtOp: lambda x: 1 / np.sqrt(x),
    TanhOp: np.tanh,
    ErfOp: lambda x: ERF(x).astype(x.dtype),
    SigmoidOp: lambda x: 1 / (1 + np.exp(-x)),
}

CASES: dict[str, Case] = {}
for op, meaning in MEANINGS.items():
    name = op.name.removeprefix("relax.")
    CASES[name] = Case(op, [tensor("n", "m")], meaning, values=special)
    CASES[f"{name}_static"] = Case(op, [tensor(4, 3, 2)], meaning, STATIC)
    CASES[f"{name}_scalar"] = Case(op, [tensor()], meaning, STATIC)
    CASES[f"{name}_double"] = Case(op, [tensor("n", 3, dtype="f64")], meaning, values=special)
for dtype in ("i8", "i16", "i32", "i64"):
    CASES[f"negative_{dtype}"] = Case(NegativeOp, [tensor("n", "m", dtype=dtype)], np.negative)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert set(MEANINGS) == set(OPS)


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64"])
def test_the_least_integer_is_its_own_negative(model: CompiledModule, dtype: str):
    least = np.iinfo(dtype.replace("i", "int")).min
    x = np.array([[least, 0, 1]], dtype.replace("i", "int"))
    np.testing.assert_array_equal(model[f"negative_{dtype}"](x), -x)


def test_the_ends_of_the_range(model: CompiledModule):
    """Overflow to infinity, underflow to zero, and the limits of the bounded functions."""
    x = np.array([[88.0, 89.0, -87.0, -104.0, np.inf, -np.inf, np.nan, 1e-30]], np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(model.exp(x), np.exp(x), rtol=1e-5, atol=2e-38)
    np.testing.assert_allclose(model.tanh(x), np.tanh(x), rtol=1e-6)
    np.testing.assert_allclose(model.erf(x), ERF(x), rtol=1e-6)
    np.testing.assert_allclose(model.sigmoid(x)[0, 4:7], [1, 0, np.nan])
