"""Operators whose constructors take more than operands, as expressions of the builder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect.builder import BlockBuilder, BuildError, const, op
from relax_dialect.dpl import PatternError, is_op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify


@pytest.mark.slow
def test_lists_sizes_and_numbers_are_told_apart():
    """Axes and bounds stay numbers, sizes become shapes, numbers next to tensors become constants."""
    bb = BlockBuilder()
    types = {"x": TensorType(["n", 4], "f32"), "y": TensorType(["n", 2], "f32")}
    with bb.function("main", types) as (x, y):
        both = bb.emit(op.concat([x, y], 1))
        left, right = bb.emit(op.split(both, [2], axis=-1))
        clipped = op.clip(right, -0.5, 0.5) + op.expand_dims(op.arange(4), 0).astype("f32")
        rows = bb.emit(op.where(op.eye("n", 4, dtype="i1"), clipped, const(0.0, "f32")))
        padded = op.pad(op.tile(left, 2), [0, 0, 1, 1], "constant", 1)
        bb.emit_func_output(op.stack([op.sum(rows), op.sum(padded), op.sum(op.ones(["n"]))], 0))
    module = bb.get()
    verify(module)
    a, b = (np.random.default_rng(0).standard_normal((5, k)).astype("f") for k in (4, 2))
    both = np.concatenate([a, b], 1)
    chosen = np.where(np.eye(5, 4), both[:, 2:].clip(-0.5, 0.5) + np.arange(4), 0)
    expected = [chosen.sum(), 2 * both[:, :2].sum() + 10, 5]
    np.testing.assert_allclose(run(module, "main", a, b), expected, rtol=1e-5)
    np.testing.assert_allclose(
        lowering.compile(module, extra_flags=UNOPTIMISED).main(a, b), expected, rtol=1e-5
    )


def test_a_number_is_of_the_type_it_has_to_agree_with():
    """With a condition a number is of the type of what is chosen from; a bool may be a condition."""
    bb = BlockBuilder()
    types = {"c": TensorType([3], "i1"), "x": TensorType([3], "f32"), "k": TensorType([3], "i64")}
    with bb.function("main", types) as (c, x, k):
        chosen = [op.where(c, x, 0.5), op.where(c, 1, x), op.where(c, k, -2), op.where(c, c, True)]
        bb.emit_func_output(bb.emit(chosen))
    module = bb.get()
    verify(module)
    values = [np.array([True, False, True]), np.arange(3, dtype="f"), np.arange(3)]
    c, x, k = values
    expected = [np.where(c, x, np.float32(0.5)), np.where(c, np.float32(1), x)]
    expected += [np.where(c, k, -2), np.where(c, c, True)]
    for results in (
        run(module, "main", *values),
        lowering.compile(module, extra_flags=UNOPTIMISED).main(*values),
    ):
        for found, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)


def test_a_number_with_conditions_alone():
    bb = BlockBuilder()
    with bb.function("main", {"c": TensorType([3], "i1")}) as (c,):
        with pytest.raises(RelaxError, match="expected a number of element type i1, found 2;"):
            bb.emit(op.where(c, c, 2))
        bb.emit_func_output(c)


def test_arrays_alone_as_many_operands():
    a, b = np.ones((2, 3), "f"), np.zeros((2, 3), "f")
    bb = BlockBuilder()
    with bb.function("main", []):
        bb.emit_func_output(op.concat([a, b], axis=1))
    verify(bb.get())
    np.testing.assert_array_equal(run(bb.get(), "main"), np.concatenate([a, b], 1))


def test_numbers_of_numpy_are_numbers():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        bb.emit_func_output(bb.emit(op.relu(x) * (1 / np.sqrt(4)) + np.float32(1)))
    array = np.float32([-2, 4])
    np.testing.assert_array_equal(run(bb.get(), "main", array), [1, 3])


def test_quotients_remainders_powers_and_absolute_values():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        y = bb.emit((x // 2) + (x % 3) + x**2 + abs(x) + 7 // x + 7 % x + 2**x)
        bb.emit_func_output(y)
    a = np.float32([-2, 4, 1.5])
    expected = a // 2 + a % 3 + a**2 + abs(a) + 7 // a + 7 % a + 2**a
    np.testing.assert_allclose(run(bb.get(), "main", a), expected, rtol=1e-6)


def test_emit_te_wants_a_function():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        with pytest.raises(
            BuildError, match=r"expected a function on tensor expressions .*found 3"
        ):
            bb.emit_te(3, x)  # pyright: ignore[reportArgumentType]
        bb.emit_func_output(x)


@pytest.mark.parametrize("place", [0, -1, np.int64(2)])
def test_a_number_for_an_index_is_no_element(place: Any):
    """Whatever the elements are: places are integers."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType([3, 2], "f16")}) as (x,):
        bb.emit_func_output(bb.emit(op.take(x, place, axis=0)))
    verify(bb.get())
    array = np.arange(6, dtype=np.float16).reshape(3, 2)
    np.testing.assert_array_equal(run(bb.get(), "main", array), array[place], strict=True)
    np.testing.assert_array_equal(
        lowering.compile(bb.get(), extra_flags=UNOPTIMISED).main(array), array[place], strict=True
    )


@pytest.mark.parametrize("place", [0.5, 1 << 63])
def test_an_index_that_is_no_integer(place: Any):
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType([3], "f32")}) as (x,):
        with pytest.raises(RelaxError, match=r"expected .*integer|expected a number of .* i64"):
            bb.emit(op.take(x, place))
        bb.emit_func_output(x)


@pytest.mark.parametrize("value", [np.array([7]), [1.0], 7, None], ids=str)
def test_a_constant_of_something_else(value: Any):
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType([3], "f32")}) as (x,):
        with pytest.raises(
            RelaxError, match=r"expected a dense attribute, found .*; .* const\(value"
        ):
            bb.emit(op.constant(value))
        bb.emit_func_output(x)


def test_names_of_tvm_stand_for_ours():
    """With the namespace that TVM has them in; one of another dialect is no such name."""
    for name in ("nn.relu", "image.resize2d", "vision.roi_pool", "relax.memory.view", "nn.dense"):
        assert is_op(name).match(op.get(name)), name
    assert op.vision.get_valid_counts.__name__ == "get_valid_counts"
    with pytest.raises(PatternError, match="unknown one"):
        is_op("audio.relu")
