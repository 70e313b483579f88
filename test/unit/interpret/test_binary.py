"""Elementwise operators on two tensors against Python's and numpy's arithmetic."""

import math

import numpy as np
import pytest

from relax_dialect.ops.binary import AddOp, DivideOp, MaximumOp, MultiplyOp, PowerOp, SubtractOp

from .programs import apply, numbers

SHAPES = [
    ((), ()),
    ((3,), ()),
    ((0,), (1,)),
    ((1, 5), (3, 1)),
    ((2, 1, 7), (4, 1)),
    ((3, 5), (3, 5)),
]
FUNCTIONS = [
    (AddOp, np.add),
    (SubtractOp, np.subtract),
    (MultiplyOp, np.multiply),
    (DivideOp, np.divide),
    (MaximumOp, np.maximum),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("op", "function"), FUNCTIONS)
def test_floats(op, function, dtype, shapes):
    """One rounding of the exact result: f64 has enough digits for any f16 and f32."""
    x, y = numbers(shapes[0], dtype), numbers(shapes[1], dtype, seed=1)
    expected = function(x.astype(np.float64), y.astype(np.float64)).astype(dtype)
    np.testing.assert_array_equal(apply(op, x, y), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize(
    ("op", "exact"),
    [
        (AddOp, lambda a, b: a + b),
        (SubtractOp, lambda a, b: a - b),
        (MultiplyOp, lambda a, b: a * b),
        (MaximumOp, max),
    ],
)
@pytest.mark.filterwarnings("error")
def test_integers_wrap(op, exact, dtype):
    info = np.iinfo(dtype)
    values = [info.min, info.max, 0, 1, 3, info.max // 2 + 1]
    pairs = [(a, b) for a in values for b in values]
    bits = 8 * np.dtype(dtype).itemsize
    expected = []
    for a, b in pairs:
        wrapped = exact(a, b) % 2**bits
        expected.append(wrapped - 2**bits if info.min < 0 and wrapped > info.max else wrapped)
    x, y = (np.array(column, dtype) for column in zip(*pairs))
    assert apply(op, x, y).tolist() == expected
    assert apply(op, x[1], y[1]) == expected[1]  # rank 0 wraps too


@pytest.mark.filterwarnings("error")
def test_special_floats():
    nan, inf = math.nan, math.inf
    x = np.array([nan, 1, nan, inf, -inf, 1, -1, 0], np.float32)
    y = np.array([1, nan, nan, inf, inf, 0, 0, 0], np.float32)
    np.testing.assert_array_equal(
        apply(MaximumOp, x, y), np.array([nan, nan, nan, inf, inf, 1, 0, 0], np.float32)
    )
    np.testing.assert_array_equal(
        apply(DivideOp, x, y), np.array([nan, nan, nan, nan, nan, inf, -inf, nan], np.float32)
    )
    np.testing.assert_array_equal(
        apply(SubtractOp, x, y), np.array([nan, nan, nan, nan, -inf, 1, -1, 0], np.float32)
    )


def test_power_of_one_exponent_is_that_of_many():
    x = np.array([-0.0, -np.inf, 4.0])
    for count in (1, 3):
        found = apply(PowerOp, x, np.full(count, 0.5))
        np.testing.assert_array_equal(found, [0.0, np.inf, 2.0])
        assert not np.signbit(found[0])
