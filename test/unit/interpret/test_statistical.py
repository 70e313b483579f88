"""Reductions against sums and maxima in Python."""

import math

import numpy as np
import pytest

from relax_dialect.errors import RelaxError
from relax_dialect.ops.statistical import MaxOp, MeanOp, SumOp

from .programs import apply, numbers

CASES = [
    ((), None),
    ((5,), None),
    ((5,), [0]),
    ((3, 5), [0]),
    ((3, 5), [-1]),
    ((2, 3, 4), [0, -1]),
    ((2, 3, 4), [1]),
    ((2, 3, 4), None),
    ((0, 3), [1]),
    ((1, 7), [0]),
]


def _reduced(x, axes, function):
    """The reduction with dims kept, of Python numbers one list at a time."""
    axes = range(x.ndim) if axes is None else [a % x.ndim for a in axes]
    shape = tuple(1 if a in axes else s for a, s in enumerate(x.shape))
    result = np.zeros(shape, object)
    for index in np.ndindex(shape):
        part = x[tuple(slice(None) if a in axes else i for a, i in enumerate(index))]
        result[index] = function([v.item() for v in part.ravel()])
    return result, tuple(s for a, s in enumerate(x.shape) if a not in axes)


FLOATS = [np.float16, np.float32, np.float64]
FUNCTIONS = [
    *((SumOp, math.fsum, dtype) for dtype in (*FLOATS, np.int32)),
    *((MaxOp, max, dtype) for dtype in (*FLOATS, np.int32)),
    *((MeanOp, lambda v: math.fsum(v) / len(v), dtype) for dtype in FLOATS),
]


@pytest.mark.parametrize(("shape", "axes"), CASES, ids=str)
@pytest.mark.parametrize(("op", "function", "dtype"), FUNCTIONS)
def test_reductions(op, function, dtype, shape, axes):
    x = numbers(shape, dtype)
    kept, dropped = _reduced(x, axes, function)
    rtol, atol = (1e-3, 2e-3) if dtype == np.float16 else (1e-6, 1e-6)
    result = apply(op, x, axis=axes, keepdims=True)
    np.testing.assert_allclose(result, kept.astype(np.float64), rtol=rtol, atol=atol)
    np.testing.assert_array_equal(apply(op, x, axis=axes), result.reshape(dropped))


@pytest.mark.filterwarnings("error")
def test_over_no_elements():
    x = np.zeros((0, 3), np.float32)
    assert apply(SumOp, x, axis=[0]).tolist() == [0, 0, 0]
    assert np.isnan(apply(MeanOp, x, axis=[0])).all()
    assert np.isnan(apply(MeanOp, x))
    assert apply(MaxOp, x, axis=[1]).shape == (0,)
    for axis, found in (([0], "0"), (None, "0 x 3")):
        with pytest.raises(RelaxError, match=f"one element along the axes .*, found {found};"):
            apply(MaxOp, x, axis=axis)


def test_special_values():
    x = np.array([[1, math.nan], [math.inf, -math.inf], [2, 3]], np.float32)
    np.testing.assert_array_equal(apply(MaxOp, x, axis=1), [math.nan, math.inf, 3])
    np.testing.assert_array_equal(apply(SumOp, x, axis=1), [math.nan, math.nan, 5])


@pytest.mark.filterwarnings("error")
def test_integer_sums_wrap_in_their_own_type():
    assert apply(SumOp, np.array([127, 1], np.int8)) == -128
    assert apply(SumOp, np.array([200, 100], np.uint8)) == 44


def test_mean_of_f16_does_not_overflow():
    assert apply(MeanOp, np.full(8, 60000, np.float16)) == np.float16(60000)
