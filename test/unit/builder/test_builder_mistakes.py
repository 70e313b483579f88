"""Arguments that do not fit get an error that names the operator and what was meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

LONG = "float" + "128"

MISTAKES: dict[str, Callable[[Any], Any]] = {
    "relax.softmax: expected arguments x, axis, found 'dim'; the nearest is 'axis'": lambda x: (
        op.softmax(x, dim=0)
    ),
    "relax.add: expected at most 2 arguments, found 3; write add(lhs, rhs)": lambda x: op.add(
        x, x, x
    ),
    "relax.add: expected 'rhs', found no argument for it; write add(lhs, rhs)": lambda x: op.add(x),
    "relax.sum: expected a value as 'x', found 'x'; pass a value of the program, or write the call with "
    "`op` of the builder": lambda x: op.sum("x"),
    "relax.add: expected a value as 'rhs', found None; pass a value of the program, or write the call "
    "with `op` of the builder": lambda x: op.add(x, None),
    "relax.relu: expected a value as 'x', found a list of 1; pass a value of the program, or write the "
    "call with `op` of the builder": lambda x: op.relu([x]),
    "relax.concat: expected a list of values as 'tensors', found the value %x; write tensors=[...], also "
    "around one": lambda x: op.concat(x, 0),
    "relax.softmax: expected an integer as 'axis', found 'x'; leave it out for -1": lambda x: (
        op.softmax(x, axis="x")
    ),
    "relax.flip: expected an integer as 'axis', found 1180591620717411303424; correct "
    "'axis'": lambda x: op.flip(x, 2**70),
    "relax.strided_slice: expected arguments of other kinds, found the value %x, 0, 0, 1 (object of type "
    "'int' has no len()); write strided_slice(x, axes, begin, end, strides=..., "
    "assume_inbound=...)": lambda x: op.strided_slice(x, 0, 0, 1),
    "relax.split: expected 'indices_or_sections', found no argument for it; write split(x, "
    "indices_or_sections, axis=...)": lambda x: op.split(x),
}


def emitted(make: Callable[[Any], Any]) -> Any:
    """The ops that a function of a parameter emits."""
    bb = BlockBuilder()
    with bb.function("f", [("x", TensorType([2, 3], "f32"))]) as (x,):
        result = bb.emit(make(x))
        bb.emit_func_output(x)
    return result


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes(message: str):
    with pytest.raises(RelaxError) as info:
        emitted(MISTAKES[message])
    assert str(info.value) == message


@pytest.mark.parametrize(
    "array",
    [np.array([None]), np.array("a")]
    + ([np.zeros(2, getattr(np, LONG))] if hasattr(np, LONG) else []),
    ids=lambda array: str(array.dtype),
)
def test_arrays_of_other_elements(array: Any):
    with pytest.raises(RelaxError, match=r"constant array: element type .* convert it with"):
        emitted(lambda x: op.add(x, array))
    with pytest.raises(RelaxError, match="constant array: element type"):
        emitted(lambda x: const(array))


def test_masked_arrays_are_refused():
    for use in (lambda x: op.add(x, np.ma.ones(2)), lambda x: const(np.ma.ones(2))):
        with pytest.raises(RelaxError, match=r"constant array: .* found a masked array"):
            emitted(use)


def test_arrays_that_are_not_aligned_are_copied():
    data = np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3)
    assert not data.flags.aligned
    assert emitted(lambda x: op.add(x, data)).type == TensorType([2, 3], "f32")


def test_an_unknown_operator_has_a_nearest_one():
    with pytest.raises(AttributeError, match="has no 'sofmax'; the nearest is 'softmax'"):
        op.sofmax  # noqa: B018


@pytest.mark.parametrize(
    "make",
    [
        lambda x: op.tuple([x, x])[1],
        lambda x: op.tuple(x, x)[1],
        lambda x: op.add(x, rhs=1.0),
        lambda x: op.add(lhs=1.0, rhs=x),
        lambda x: op.clip(x=op.relu(x), max=6),
    ],
)
def test_other_ways_to_write_it(make: Callable[[Any], Any]):
    assert emitted(make).type == TensorType([2, 3], "f32")
