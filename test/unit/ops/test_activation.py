"""Neural network operators, as compiled C, against numpy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lowering.runtime import CompiledModule
from relax_dialect.ops.activation import OPS, GeluOp, ReluOp, SoftmaxOp

from .compiled import STATIC, Case, Sizes, check, compile_cases, large, over, special, tensor

ERF = np.vectorize(math.erf, otypes=["d"])


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, x.dtype.type(0))


def gelu(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    return (wide * (1 + ERF(wide / np.sqrt(2))) / 2).astype(x.dtype)


def softmax(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    def meaning(x: np.ndarray) -> np.ndarray:
        wide = x.astype(np.float64)
        powers = np.exp(wide - wide.max(axis=axis, keepdims=True, initial=-np.inf))
        return (powers / powers.sum(axis=axis, keepdims=True)).astype(x.dtype)

    return meaning


def softmax_over(axis: int, type: object, sizes: object = None) -> Case:
    case = Case(lambda x: SoftmaxOp(x, axis), [type], softmax(axis), values=large)  # pyright: ignore
    return case if sizes is None else Case(case.operator, case.types, case.meaning, STATIC)


CASES: dict[str, Case] = {
    "relu": Case(ReluOp, [tensor("n", "m")], relu, values=special),
    "relu_static": Case(ReluOp, [tensor(3, 4, 5)], relu, STATIC),
    "relu_double": Case(ReluOp, [tensor("n", dtype="f64")], relu, values=special),
    "relu_i8": Case(ReluOp, [tensor("n", "m", dtype="i8")], relu),
    "relu_i64": Case(ReluOp, [tensor("n", "m", dtype="i64")], relu),
    "gelu": Case(GeluOp, [tensor("n", "m")], gelu),
    "gelu_static": Case(GeluOp, [tensor(33)], gelu, STATIC),
    "gelu_double": Case(GeluOp, [tensor("n", 3, dtype="f64")], gelu),
    "softmax": softmax_over(-1, tensor("n", "m")),
    "softmax_first": softmax_over(0, tensor("n", "m")),
    "softmax_middle": softmax_over(-2, tensor("n", "m", "k")),
    "softmax_vector": softmax_over(0, tensor("n")),
    "softmax_double": softmax_over(1, tensor("n", "m", dtype="f64")),
    "softmax_static": softmax_over(1, tensor(3, 17), STATIC),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {type(c.function("f").body.block.first_op) for c in CASES.values()} == set(OPS)


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, sizes)


def test_softmax_neither_overflows_nor_loses_a_row(model: CompiledModule):
    x = np.array([[1e30, 1e30, -1e30], [-3e38, -3e38, -3e38], [0, -np.inf, 0]], np.float32)
    expected = np.array([[0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0, 0.5]])
    np.testing.assert_allclose(model.softmax(x), expected, rtol=1e-6)


def test_softmax_of_nan_and_of_infinity_is_nan(model: CompiledModule):
    x = np.array([[np.nan, 0, 1], [np.inf, 0, 1], [-np.inf, -np.inf, -np.inf]], np.float32)
    assert np.isnan(model.softmax(x)[[0, 2]]).all()
    assert np.isnan(model.softmax(x)[1, 0])


def test_gelu_far_from_zero(model: CompiledModule):
    x = np.array([[-40, 40, -1e30, 1e30, np.inf, np.nan]], np.float32)
    np.testing.assert_allclose(model.gelu(x), [[0, 40, 0, 1e30, np.inf, np.nan]], atol=1e-30)
