"""Elementwise operators on one tensor against Python's math module."""

import math

import numpy as np
import pytest

from relax_dialect.ops.unary import (
    ErfOp,
    ExpOp,
    NegativeOp,
    RsqrtOp,
    SigmoidOp,
    SqrtOp,
    TanhOp,
)

from .programs import apply, numbers

FUNCTIONS = [
    (ExpOp, math.exp),
    (SqrtOp, math.sqrt),
    (RsqrtOp, lambda x: 1 / math.sqrt(x)),
    (TanhOp, math.tanh),
    (ErfOp, math.erf),
    (SigmoidOp, lambda x: 1 / (1 + math.exp(-x))),
]


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5)], ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("op", "function"), FUNCTIONS)
def test_functions(op, function, dtype, shape):
    x = np.abs(numbers(shape, dtype)) + dtype(0.125)
    exact = np.array([function(float(v)) for v in x.ravel()]).reshape(shape)
    result = apply(op, x)
    if dtype == np.float64:
        np.testing.assert_allclose(result, exact, rtol=1e-15)
    else:
        np.testing.assert_array_equal(result, exact.astype(dtype))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("op", "table"),
    [
        (ExpOp, {-math.inf: 0, math.inf: math.inf, 0: 1, 1e4: math.inf}),
        (SqrtOp, {-1: math.nan, 0: 0, math.inf: math.inf}),
        (RsqrtOp, {-1: math.nan, 0: math.inf, math.inf: 0}),
        (TanhOp, {-math.inf: -1, math.inf: 1}),
        (ErfOp, {-math.inf: -1, math.inf: 1, 0: 0}),
        (SigmoidOp, {-math.inf: 0, math.inf: 1, 0: 0.5, -1e4: 0, 1e4: 1}),
        (NegativeOp, {-math.inf: math.inf, 1: -1}),
    ],
)
def test_special_values(op, table):
    x = np.array([math.nan, *table], np.float32)
    expected = np.array([math.nan, *table.values()], np.float32)
    np.testing.assert_array_equal(apply(op, x), expected)


def test_negative_integers_wrap():
    x = np.array([-128, 0, 1, 127], np.int8)
    assert apply(NegativeOp, x).tolist() == [-128, 0, -1, -127]
    assert apply(NegativeOp, np.array([0, 1], np.uint8)).tolist() == [0, 255]


def test_sigmoid_far_below_zero_keeps_its_digits():
    np.testing.assert_allclose(
        apply(SigmoidOp, np.array([-740.0])), [math.exp(-740)], rtol=1e-14, atol=0
    )
