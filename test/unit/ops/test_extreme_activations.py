"""Compositions of exponentials at extreme values, in all float types, against float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect import parse

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
RELATIVE = {"f16": 2e-3, "bf16": 1e-2, "f32": 1e-5}
TINY = {"f16": 6e-8, "bf16": 3e-37, "f32": 3e-37}
"""The least number of f16, and what 1 / (1 + exp(89)) * 89 is: beyond that a zero is right enough."""


def sigmoid(x: Any) -> Any:
    power = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, power) / (1 + power)


EXPECTED: dict[str, Callable[[Any], Any]] = {
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "log_sigmoid": lambda x: -np.logaddexp(0, -x),
    "softplus": lambda x: np.where(x > 20, x, np.logaddexp(0, x)),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanh": np.tanh,
}
SIZES = (1e-7, 0.1, 1, 5, 9, 10, 11, 12.2, 15, 16.7, 20, 30, 87, 88, 88.75, 89, 90, 104, 150, 6e4)
POINTS = np.array([0.0, -0.0, np.nan, *SIZES, *(-s for s in SIZES)])


@pytest.fixture(scope="module")
def model():
    text = ""
    for dtype in TYPES:
        row, pairs = f"!relax.tensor<[n], {dtype}>", f"!relax.tensor<[2, n], {dtype}>"
        first = f"!relax.tensor<[1, n], {dtype}>"
        forms = dict.fromkeys(EXPECTED, (row, row, ""))
        forms["glu"] = pairs, first, " {axis = 0 : i64}"
        for name, (given, result, attributes) in forms.items():
            text += (
                f"relax.func @{name}_{dtype}(%x: {given}) -> {result} {{\n"
                f"  %0 = relax.{name} %x{attributes} : ({given}) -> {result}\n"
                f"  relax.return %0 : {result}\n}}\n"
            )
    return lowering.compile(parse(text), extra_flags=UNOPTIMISED)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", EXPECTED)
def test_activations(model, name: str, dtype: str):
    x = POINTS.astype(TYPES[dtype])
    actual = model[f"{name}_{dtype}"](x).astype(np.float64)
    with np.errstate(invalid="ignore"):
        expected = EXPECTED[name](x.astype(np.float64))
    np.testing.assert_allclose(actual, expected, rtol=RELATIVE[dtype], atol=TINY[dtype])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
def test_gates_of_infinities(model, dtype: str):
    """A gate that is not zero leaves an infinity as it is."""
    gate = np.array([-5, -12.2, -60, -89, -100, 3, 100])
    for value in (np.inf, -np.inf, 3.0):
        x = np.stack([np.full_like(gate, value), gate]).astype(TYPES[dtype])
        actual = model[f"glu_{dtype}"](x).astype(np.float64)
        wide = x.astype(np.float64)
        np.testing.assert_allclose(
            actual, (wide[0] * sigmoid(wide[1]))[None], rtol=5e-2, atol=TINY[dtype]
        )
