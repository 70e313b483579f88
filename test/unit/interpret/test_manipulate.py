"""Operators that move elements against Python's indexing."""

import numpy as np
import pytest
from xdsl.dialects import test

from relax_dialect.errors import RelaxError
from relax_dialect.interpret import evaluate
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.manipulate import BroadcastToOp, FlattenOp, PermuteDimsOp, ReshapeOp

from .programs import apply, numbers


@pytest.mark.parametrize("shape", [(), (1,), (0, 3), (2, 3, 5)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_])
def test_flatten_and_reshape(shape, dtype):
    x = numbers(shape, dtype)
    assert apply(FlattenOp, x).tolist() == [x[i] for i in np.ndindex(shape)]
    new = (*reversed(shape), 1)
    assert apply(ReshapeOp, x, new).ravel().tolist() == x.ravel().tolist()


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((), None), ((2, 3), None), ((2, 3, 4), (1, 2, 0)), ((2, 0, 4), (-1, 0, 1)), ((5,), (0,))],
)
def test_permute_dims(shape, axes):
    x = numbers(shape)
    result = apply(PermuteDimsOp, x, axes=axes)
    order = tuple(reversed(range(len(shape)))) if axes is None else [a % len(shape) for a in axes]
    assert result.shape == tuple(shape[a] for a in order)
    for index in np.ndindex(shape):
        assert result[tuple(index[a] for a in order)] == x[index]


@pytest.mark.parametrize(
    ("shape", "new"),
    [((), (2, 3)), ((3,), (2, 3)), ((2, 1), (4, 2, 5)), ((1,), (0,)), ((1, 3), (1, 3))],
)
def test_broadcast_to(shape, new):
    x = numbers(shape)
    result = apply(BroadcastToOp, x, new)
    assert result.shape == new
    for index in np.ndindex(new):
        source = tuple(0 if s == 1 else i for s, i in zip(shape, index[len(new) - len(shape) :]))
        assert result[index] == x[source]


def test_results_share_no_memory_with_operands():
    x = numbers((2, 3))
    for result in (
        apply(FlattenOp, x),
        apply(ReshapeOp, x, (3, 2)),
        apply(PermuteDimsOp, x),
        apply(BroadcastToOp, x, (2, 3)),
    ):
        assert not np.shares_memory(result, x)
        assert result.flags.writeable


def test_reshape_to_another_number_of_elements():
    x, shape = test.TestOp(result_types=[TensorType(("n",), "f32"), ShapeType(("m",))]).results
    with pytest.raises(RelaxError, match=r"as many elements as \[6\] \(6\), found \[4\] \(4\)"):
        evaluate(ReshapeOp(x, shape), numbers((6,)), (4,))
