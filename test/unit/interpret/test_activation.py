"""Operators of neural networks against their formulas in Python floats."""

import math

import numpy as np
import pytest

from relax_dialect.ops.activation import GeluOp, ReluOp, SoftmaxOp

from .programs import apply, numbers


def test_relu():
    x = np.array([math.nan, -1, 0, 2, math.inf, -math.inf], np.float32)
    np.testing.assert_array_equal(apply(ReluOp, x), [math.nan, 0, 0, 2, math.inf, 0])
    assert apply(ReluOp, np.array([-3, 4], np.int32)).tolist() == [0, 4]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gelu(dtype):
    x = numbers((3, 7), dtype)
    exact = [float(v) * 0.5 * math.erfc(-float(v) / math.sqrt(2)) for v in x.ravel()]
    rtol = {np.float16: 0, np.float32: 0, np.float64: 1e-14}[dtype]
    np.testing.assert_allclose(
        apply(GeluOp, x), np.array(exact).astype(dtype).reshape(x.shape), rtol=rtol
    )


def test_gelu_keeps_its_digits_far_below_zero():
    """`1 + erf(x / sqrt(2))` is 1.2e-15 at -8, of which f64 holds one digit: erfc has them all."""
    np.testing.assert_allclose(
        apply(GeluOp, np.array([-8.0])), [-4.0 * math.erfc(8 / math.sqrt(2))], rtol=1e-13
    )


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((5,), 0), ((3, 5), -1), ((3, 5), 0), ((2, 3, 4), -2), ((2, 0), 1), ((0, 3), 1), ((4, 1), 1)],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax(shape, axis, dtype):
    x = numbers(shape, dtype) * dtype(20)
    exact = np.zeros(shape)
    for row, out in zip(_rows(x, axis), _rows(exact, axis)):
        powers = [math.exp(float(v) - max(map(float, row))) for v in row]
        out[...] = [p / math.fsum(powers) for p in powers]
    rtol = {np.float16: 1e-3, np.float32: 1.2e-7, np.float64: 1e-14}[dtype]
    np.testing.assert_allclose(apply(SoftmaxOp, x, axis=axis), exact.astype(dtype), rtol=rtol)


def _rows(array, axis):
    """Views of the rows along an axis, in row-major order of the other axes."""
    moved = np.moveaxis(array, axis, -1)
    return [moved[index] for index in np.ndindex(moved.shape[:-1])]


@pytest.mark.filterwarnings("error")
def test_softmax_of_large_and_special_numbers():
    x = np.array([[1e30, 1e30], [-1e30, 0], [math.nan, 0], [-math.inf, 0]], np.float32)
    np.testing.assert_array_equal(
        apply(SoftmaxOp, x), [[0.5, 0.5], [0, 1], [math.nan, math.nan], [0, 1]]
    )
