"""Reductions of integers of a known range in blocks: no block overflows, and the results are numpy's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optional import amount
from xdsl.dialects.func import FuncOp

import lowering
from lowering.ir.integer_ranges import range_of
from lowering.loops.bounded_reductions import (
    LEAST_BLOCK,
    LEAST_LENGTH,
    NARROW_WIDTHS,
    block_length,
)
from lowering.pipeline import lower
from relax_dialect import interpret, te
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse
from relax_dialect.symbolic.interval import Interval

ONES, BYTES = Interval(0, 1), Interval(-128, 127)
BLOCK = block_length(ONES, 16)
LENGTHS = (
    0,
    1,
    7,
    LEAST_LENGTH - 1,
    LEAST_LENGTH,
    BLOCK - 1,
    BLOCK,
    BLOCK + 1,
    2**16 + 5,
    5 * BLOCK,
)
RANDOM = np.random.default_rng(0)


# The bound ---------------------------------------------------------------------------------------


@settings(max_examples=amount(100, 50), derandomize=True)
@given(st.integers(-(2**31), 2**31), st.integers(0, 2**32), st.sampled_from(NARROW_WIDTHS))
def test_no_sum_of_a_block_leaves_the_narrow_type(low: int, size: int, width: int):
    span = Interval(low, low + size)
    length = block_length(span, width)
    least, greatest = -(2 ** (width - 1)), 2 ** (width - 1) - 1
    for element in (span.low, span.high):
        assert least <= length * element <= greatest
    assert length >= 0
    assert length % 256 == 0


def test_blocks_are_as_long_as_the_type_lets_them():
    assert block_length(Interval(0, 0), 16) == 32512
    assert block_length(ONES, 16) == 32512
    assert block_length(BYTES, 16) == 0
    assert block_length(BYTES, 32) == 16776960
    assert block_length(Interval(0, 2**16 - 1), 32) == 2**15


ELEMENTS = {
    "arith.extui %x : {x} to i64": lambda x, bits: x.astype(np.int64) & (2**bits - 1),
    "arith.extsi %x : {x} to i64": lambda x, bits: x.astype(np.int64),
    "arith.select %c, %w, %five : i64": lambda x, bits: np.append(x, 5),
    "arith.select %c, %five, %minus : i64": lambda x, bits: np.array([5, -7]),
}


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("element", ELEMENTS)
def test_the_span_is_that_of_all_values(element: str, bits: int):
    text = f"""
    func.func @f(%x: i{bits}, %c: i1) -> i64 {{
      %five = arith.constant 5 : i64
      %minus = arith.constant -7 : i64
      %w = arith.extsi %x : i{bits} to i64
      %r = {element.format(x=f"i{bits}")}
      func.return %r : i64
    }}"""
    (function,) = parse(text).ops
    assert isinstance(function, FuncOp)
    last = function.body.block.last_op
    assert last is not None
    values = ELEMENTS[element](np.arange(-(2 ** (bits - 1)), 2 ** (bits - 1)), bits)
    assert range_of(last.operands[0]) == (values.min(), values.max())


# Whole programs ----------------------------------------------------------------------------------


def program(name: str, sizes: Sequence[int | str], dtype: str = "i1"):
    """A program that reduces a tensor over all axes."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(sizes, dtype)}) as (x,):
        bb.emit_func_output(bb.emit(getattr(op, name)(x)))
    return bb.get()


@pytest.fixture(scope="module")
def models():
    return {
        (name, rank): lowering.compile(program(name, ["n", "m"][:rank]))
        for name in ("count_nonzero", "all", "any")
        for rank in (1, 2)
    }


@pytest.mark.slow
@pytest.mark.parametrize("length", LENGTHS)
def test_booleans_are_counted_at_every_length(models, length: int):
    for x in (np.ones(length, bool), np.zeros(length, bool), RANDOM.random(length) < 0.5):
        assert models["count_nonzero", 1].main(x) == np.count_nonzero(x)
        rows = np.stack([x, ~x, x])
        assert models["count_nonzero", 2].main(rows) == np.count_nonzero(rows)


@pytest.mark.parametrize("length", [LEAST_LENGTH, BLOCK, BLOCK + 1, 3 * BLOCK + 77])
def test_known_lengths(length: int):
    model = lowering.compile(program("count_nonzero", [2, length]))
    assert model.main(np.ones((2, length), bool)) == 2 * length


@pytest.mark.parametrize("dtype", ["i8", "i32", "f32"])
def test_numbers_are_counted_as_booleans_are(dtype: str):
    model = lowering.compile(program("count_nonzero", ["n"], dtype))
    numpy = {"i8": np.int8, "i32": np.int32, "f32": np.float32}[dtype]
    x = RANDOM.integers(-1, 2, 2 * BLOCK + 3).astype(numpy)
    if dtype == "f32":
        x[::7] = np.nan
        x[1::7] = -0.0
    assert model.main(x) == np.count_nonzero(x)
    assert model.main(np.full(2**16 + 1, -1, numpy)) == 2**16 + 1


@pytest.mark.slow
@pytest.mark.parametrize("length", [0, 1, LEAST_BLOCK, LEAST_BLOCK + 1, 3 * LEAST_BLOCK + 5])
def test_one_element_decides_wherever_it_stands(models, length: int):
    places = {
        place for place in (0, 1, LEAST_BLOCK - 1, LEAST_BLOCK, length - 1) if 0 <= place < length
    }
    for place in (None, *sorted(places)):
        x = np.zeros(length, bool)
        if place is not None:
            x[place] = True
        for row in range(3):
            rows = np.zeros((3, length), bool)
            rows[row] = x
            assert models["any", 2].main(rows) == rows.any()
            assert models["all", 2].main(~rows) == (~rows).all()
        assert models["any", 1].main(x) == x.any()
        assert models["all", 1].main(~x) == (~x).all()


def test_bytes_are_summed_up_beyond_what_32_bits_hold():
    """One element more than a block holds would leave i32, were there no blocks."""

    def total(x: te.Tensor) -> te.Tensor:
        k = te.reduce_axis((0, x.shape[0]), name="k")
        return te.compute((), lambda: te.sum(x[k].astype("i64"), axis=k), name="total")

    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n"], "i8")}) as (x,):
        bb.emit_func_output(bb.emit_te(total, x))
    module = bb.get()
    assert "to i32" in str(lower(module.clone()))
    length = 2**24 + 300
    assert lowering.compile(module).main(np.full(length, -128, np.int8)) == -128 * length


SEVERAL = """
func.func @main(%n: index, %A: memref<?xi1>, %B: memref<?xi8>, %out: memref<3xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %ten = arith.constant 10 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant -3 : i64
  %count, %sum, %chosen = scf.for %i = %c0 to %n step %c1
      iter_args(%a = %zero, %b = %ten, %c = %zero) -> (i64, i64, i64) {
    %x = memref.load %A[%i] : memref<?xi1>
    %one = arith.extui %x : i1 to i64
    %s = arith.addi %a, %one : i64
    %y = memref.load %B[%i] : memref<?xi8>
    memref.store %y, %B[%c0] : memref<?xi8>
    %wide = arith.extsi %y : i8 to i64
    %t = arith.addi %wide, %b : i64
    %z = arith.select %x, %two, %three : i64
    %u = arith.addi %c, %z : i64
    scf.yield %s, %t, %u : i64, i64, i64
  }
  memref.store %count, %out[%c0] : memref<3xi64>
  memref.store %sum, %out[%c1] : memref<3xi64>
  memref.store %chosen, %out[%c2] : memref<3xi64>
  func.return
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 500, 2 * block_length(Interval(-3, 2), 16) + 9])
def test_several_sums_share_the_blocks_of_a_loop(length: int):
    """The shortest block is taken, and what else the loop does is done once for each element."""
    a, b = RANDOM.random(length) < 0.5, RANDOM.integers(-128, 128, length).astype(np.int8)
    module = lower(parse(SEVERAL), ("relax-split-reductions",), verify_each=True)
    assert f"step %c{block_length(Interval(-3, 2), 16)}" in str(module)
    out, written = np.zeros(3, np.int64), b.copy()
    interpret.run(module, "main", length, a, written, out)
    expected = [np.count_nonzero(a), 10 + b.astype(np.int64).sum(), np.where(a, 2, -3).sum()]
    np.testing.assert_array_equal(out, expected)
    assert written[0] == b[-1]
