"""The matrix product against sums of products in Python."""

import numpy as np
import pytest

from relax_dialect.ops.linear_algebra import MatmulOp

from .programs import apply, numbers

SHAPES = [
    ((3,), (3,), ()),
    ((2, 3), (3,), (2,)),
    ((3,), (3, 4), (4,)),
    ((2, 3), (3, 4), (2, 4)),
    ((1, 1), (1, 1), (1, 1)),
    ((7, 0), (0, 5), (7, 5)),
    ((0, 3), (3, 2), (0, 2)),
    ((5, 2, 3), (3, 4), (5, 2, 4)),
    ((5, 1, 2, 3), (6, 3, 4), (5, 6, 2, 4)),
    ((3,), (2, 3, 4), (2, 4)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
def test_matmul(shapes, dtype):
    left, right, shape = shapes
    x, y = numbers(left, dtype), numbers(right, dtype, seed=1)
    a = x[None, :] if x.ndim == 1 else x
    b = y[:, None] if y.ndim == 1 else y
    products = a[..., :, :, None].astype(np.float64) * b[..., None, :, :].astype(np.float64)
    exact = products.sum(axis=-2).reshape(shape)
    result = apply(MatmulOp, x, y)
    assert result.shape == shape
    tolerance = {np.float16: 5e-3, np.float32: 1e-5}.get(dtype, 1e-12)
    np.testing.assert_allclose(result, exact, rtol=tolerance, atol=tolerance)


@pytest.mark.filterwarnings("error")
def test_integers_wrap():
    x = np.array([[100, 100]], np.int8)
    assert apply(MatmulOp, x, x.T.copy()).tolist() == [[20000 % 256]]


def test_nan_and_infinity():
    x = np.array([[np.inf, 0], [np.nan, 1]], np.float32)
    np.testing.assert_array_equal(
        apply(MatmulOp, x, np.eye(2, dtype=np.float32)), [[np.inf, np.nan], [np.nan, np.nan]]
    )
